"""What an author declared: `@ui` and `@app_resource`, kept on the function, with nothing done."""
