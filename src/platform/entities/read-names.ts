import type { StatementProgram } from '../../core/adapter/loader';
import { lowerCased } from '../../database/lower-case';
import { column, EMPTY, name, select, type Sql, sql } from '../../database/statement';
import type { Id } from '../../database/write';
import { idOf } from './entity-reading';
import type { EntityState } from './entity-state';
import type { EntityStore } from './entity-store';
import { foldName } from '../../core/data/fold-name';
import { listedKey } from './names';
import type { UnitOfWork } from './unit-of-work';

/** The name of the entity to find. */
interface NameQuery {
    readonly name: string;
    /** What names are looked for within: the facet of a value. */
    readonly within?: EntityState | undefined;
}

/** Reads the entities with some names in the run's language, without regard to case and blanks around them: two statements at most. */
export function* readNames(
    store: EntityStore,
    work: UnitOfWork,
    queries: readonly NameQuery[],
): StatementProgram<void> {
    const set = work.of(store.entity);
    const unknown = queries.filter(
        ({ name: text, within }) =>
            !(within && within.id === undefined) && set.mustAsk(`\0name ${listedKey(text, within)}`),
    );
    const condition = unknown.length === 0 ? undefined : conditionOf(store, unknown);
    if (!condition) return;
    const rows = yield* select<{ readonly id: Id | null }>(condition);
    yield* store.readById(
        work,
        rows.flatMap(({ id }) => id ?? []),
    );
}

/** The statement that answers the ids; undefined for kinds that have no names. */
function conditionOf(
    { entity: { key }, table, texts, dialect, platform }: EntityStore,
    queries: readonly NameQuery[],
): Sql | undefined {
    const names = [...new Set(queries.map(({ name: text }) => text))];
    const folded = [...new Set(names.map(foldName))];
    // A database may lower letters in another way than JavaScript does.
    const isCalled = (subject: Sql): Sql =>
        sql`(${dialect.oneOf(lowerCased(dialect, subject, folded), folded)} OR ${dialect.oneOf(subject, names)})`;
    const e = (property: string): Sql => column('e', table.column(property).name);
    const own = sql`${table.name} AS ${name('e')}`;
    if (key.field === 'name') return sql`SELECT ${e('id')} AS ${name('id')} FROM ${own} WHERE ${isCalled(e('name'))}`;
    if (!texts || !key.made) return undefined;
    const t = (property: string): Sql => column('t', texts.column(property).name);
    const owners = [...new Set(queries.flatMap(({ within }) => within?.id ?? []))];
    const isWithin =
        key.within === undefined
            ? EMPTY
            : sql` AND ${t('base')} IN (SELECT ${e('id')} FROM ${own} WHERE ${dialect.oneOf(e(idOf(key.within)), owners)})`;
    return sql`SELECT ${t('base')} AS ${name('id')} FROM ${texts.name} AS ${name('t')}
        WHERE ${t('languageCode')} = ${platform.ctx.languageCode} AND ${isCalled(t(key.made.of))}${isWithin}`;
}
