"""What each host does with skills and the files around them: made of `hosts/*.yaml`, and loaded only where needed."""
