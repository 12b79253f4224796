"""What people see: explanations as plain data, tables, drawings."""
