import { type FindOperator, In, Raw } from 'typeorm';
import type { Dialect } from './dialect';
import type { Id } from './write';

/**
 * For `where` of TypeORM's `find`: rows whose column is one of some values. TypeORM's own `In` makes a parameter of
 * each value, and handles each of them several times. This is a single parameter if the database accepts a list as
 * one. Use it only once in a `find`, since the parameter has one name.
 */
export function entitiesOneOf(dialect: Dialect, ids: readonly Id[]): FindOperator<Id> {
    if (dialect.kind === 'mysql') return In([...ids]);
    const list = dialect.kind === 'postgres' ? dialect.bind(ids) : JSON.stringify(ids);
    const places = dialect.kind === 'postgres' ? '= ANY(:oneOf)' : 'IN (SELECT value FROM json_each(:oneOf))';
    return Raw(column => `${column} ${places}`, { oneOf: list }) as FindOperator<Id>;
}
