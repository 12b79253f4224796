"""Meteor, where aimagelab keeps it."""

from caplens.compat.aimagelab.evaluation.meteor.meteor import Meteor

__all__ = ["Meteor"]
