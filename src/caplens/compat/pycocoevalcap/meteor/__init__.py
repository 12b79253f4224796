"""METEOR, where the original keeps it; copies of it have ``meteor.Meteor`` here too."""

from caplens.compat.pycocoevalcap.meteor.meteor import Meteor

__all__ = ["Meteor"]
