//! The tests of scenario files, one executable: to link each file by itself takes longer than to run it.

mod capacity;
mod common;
mod expect;
mod fuzz;
mod load;
mod malformed;
mod quantities;
mod schemas;
mod vocabulary;
