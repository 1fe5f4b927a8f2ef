"""`wmx first-contact`: what only the vendor's SDK can answer, asked step by step.

For the first person who has it: each step prints what it will do and asks before it does anything;
what it finds is written to a report that can be sent to the project. See docs/first-contact.md.
"""
