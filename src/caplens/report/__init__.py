"""Pages that anybody can open: reports of scores, comparisons, explanations and studies, each one file."""

from caplens.report.assets import STATIC
from caplens.report.page import document_page, explanations_page, report_page
from caplens.report.settings import ReportSettings
from caplens.report.studies import studies_page

__all__ = ["STATIC", "ReportSettings", "document_page", "explanations_page", "report_page", "studies_page"]
