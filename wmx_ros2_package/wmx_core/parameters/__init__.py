"""The vendor's parameter files: read, judged, compared and written."""
