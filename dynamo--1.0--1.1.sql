/* dynamo--1.0--1.1.sql: what version 1.1 adds to the objects of 1.0 */

-- complain if script is sourced in psql, rather than via ALTER EXTENSION
\echo Use "ALTER EXTENSION dynamo UPDATE TO '1.1'" to load this file. \quit
