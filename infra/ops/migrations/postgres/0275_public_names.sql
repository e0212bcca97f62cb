-- The name that others see. A session that began before has none: its name is shown.
ALTER TABLE auth.session ADD COLUMN public_name text;
