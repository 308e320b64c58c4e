"""The screens: Textual and Rich. Everything that knows a transcript stands above, in the core."""
