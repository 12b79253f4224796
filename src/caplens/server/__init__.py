"""The playground: a page to try captions on, reports with explanations on demand, and a JSON API (extra `serve`)."""
