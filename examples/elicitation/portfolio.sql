create table managers (id text primary key, name text not null, region text not null);
create table accounts (
  name text primary key, region text not null, manager text references managers (id)
);
insert into managers values
  ('mgr-priya', 'Priya Nair', 'Asia'),
  ('mgr-lee', 'Lee Wong', 'Asia'),
  ('mgr-ana', 'Ana Duarte', 'Europe'),
  ('mgr-jonas', 'Jonas Weber', 'Europe');
insert into accounts values
  ('Contoso', 'Europe', null), ('Fabrikam', 'Asia', null), ('Adatum', 'Europe', 'mgr-ana'),
  ('Litware', 'Europe', 'mgr-ana'), ('Proseware', 'Europe', 'mgr-jonas'),
  ('Tailspin', 'Asia', 'mgr-priya'), ('Wingtip', 'Asia', 'mgr-lee'),
  ('Northwind', 'Asia', 'mgr-priya'), ('Trey Research', 'Asia', 'mgr-priya');
