-- How often a process took a request up: one that ends whoever carries it out is given up in the end.
alter table engine.request add column attempts int not null default 0;
