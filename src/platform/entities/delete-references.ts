import type { DataSource, EntityTarget } from 'typeorm';
import type { VendureEntity } from '@vendure/core';
import type { Dialect } from '../../database/dialect';
import { EMPTY, type Sql, column, join, name, sql } from '../../database/statement';
import { joinTableOf, tableOf } from '../../database/table';
import type { Id } from '../../database/write';

interface Place {
    readonly dataSource: DataSource;
    readonly dialect: Dialect;
}

/** How other rows refer to entities of a kind. */
export interface DeleteReference {
    /** One and many: "product", "products". While any are there, the entity is not deleted; undefined where they do not keep it. */
    readonly called: readonly [one: string, many: string] | undefined;
    /** A SELECT of `id` and `uses`: which of some entities are in use, and by how many. */
    count(keysetPosition: Place, ids: readonly Id[]): Sql;
    /** The rows to delete before the entities: references that do not prevent the deletion, but that the database does not remove by itself. */
    clear?(keysetPosition: Place, ids: readonly Id[]): Sql;
}

interface Members {
    readonly called: DeleteReference['called'];
    /** Whose relation it is: the products that have facet values. */
    readonly of: EntityTarget<VendureEntity>;
    readonly relation: string;
    /** Set if the members are not the entity itself, but entities that belong to it: the values of a facet. */
    readonly through?: { readonly type: EntityTarget<VendureEntity>; readonly owner: string };
}

/** Entities that have it as a member of a many-to-many relation. Softly deleted ones do not prevent the deletion, and lose the member. */
export function memberReference({ called, of, relation, through }: Members): DeleteReference {
    const known = (dataSource: DataSource) => ({
        joint: joinTableOf(dataSource, of, relation),
        owners: tableOf(dataSource, of),
        parts: through && tableOf(dataSource, through.type),
    });
    return {
        called,
        count({ dataSource, dialect }, ids) {
            const { joint, owners, parts } = known(dataSource);
            const member = column('j', joint.column(joint.member).name);
            const subject = through ? column('m', parts!.column(through.owner).name) : member;
            const through_ = through
                ? sql`JOIN ${parts!.name} AS ${name('m')} ON ${column('m', parts!.column('id').name)} = ${member}`
                : EMPTY;
            const alive = owners.has('deletedAt')
                ? sql` AND ${column('o', owners.column('deletedAt').name)} IS NULL`
                : EMPTY;
            return sql`SELECT ${subject} AS ${name('id')}, COUNT(DISTINCT ${column('o', owners.column('id').name)}) AS ${name('uses')}
                FROM ${joint.name} AS ${name('j')} ${through_}
                JOIN ${owners.name} AS ${name('o')} ON ${column('o', owners.column('id').name)} = ${column('j', joint.column(joint.owner).name)}${alive}
                WHERE ${dialect.oneOf(subject, ids)} GROUP BY ${subject}`;
        },
        clear({ dataSource, dialect }, ids) {
            const { joint, parts } = known(dataSource);
            const member = joint.column(joint.member);
            const members = through
                ? sql`${member} IN (SELECT ${column('m', parts!.column('id').name)} FROM ${parts!.name} AS ${name('m')}
                    WHERE ${dialect.oneOf(column('m', parts!.column(through.owner).name), ids)})`
                : dialect.oneOf(member, ids);
            return sql`DELETE FROM ${joint.name} WHERE ${members}`;
        },
    };
}

interface Rows {
    readonly called: readonly [one: string, many: string];
    readonly of: EntityTarget<VendureEntity>;
    /** The property that holds its id. */
    readonly property: string;
    /** Only rows in which one of these numbers is not 0 count. */
    readonly unlessZero?: readonly string[];
}

/** Rows that refer to it in a column. Softly deleted rows do not prevent the deletion. */
export function inColumn({ called, of, property, unlessZero = [] }: Rows): DeleteReference {
    return {
        called,
        count({ dataSource, dialect }, ids) {
            const rows = tableOf(dataSource, of);
            const subject = rows.column(property);
            const numbers = unlessZero.map(number => sql`${rows.column(number)} <> 0`);
            const alive = rows.has('deletedAt') ? sql` AND ${rows.column('deletedAt')} IS NULL` : EMPTY;
            const counts = numbers.length > 0 ? sql` AND (${join(numbers, ' OR ')})` : EMPTY;
            return sql`SELECT ${subject} AS ${name('id')}, COUNT(*) AS ${name('uses')} FROM ${rows.name}
                WHERE ${dialect.oneOf(subject, ids)}${counts}${alive} GROUP BY ${subject}`;
        },
    };
}
