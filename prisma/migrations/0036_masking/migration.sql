-- Whether literals in the statements of a tenant are masked for those without the scope unmask.
ALTER TABLE tenant ADD COLUMN masks_statements boolean NOT NULL DEFAULT false;
