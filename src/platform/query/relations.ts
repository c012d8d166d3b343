import type { RelationMetadata } from 'typeorm/metadata/RelationMetadata';
import type { StatementProgram } from '../../core/adapter/loader';
import type { JsonValue } from '../../core/value/json';
import { column, join, name, select, type Sql, sql } from '../../database/statement';
import type { Id, Row } from '../../database/write';
import type { VendurePlatform } from '../context';
import { pathFrom, type QueriedEntity, withParents } from './entities';
import { Shape, type Shaped } from './shape';
import { QuerySource } from './source';

/** What relations are read with. */
interface RelationProjection {
    readonly entity: QueriedEntity;
    readonly root: QuerySource;
    readonly paths: readonly string[];
    readonly language: string;
    readonly isFlat: boolean;
}

interface Followed {
    readonly property: string;
    readonly relation: RelationMetadata;
    readonly source: QuerySource;
    readonly shape: Shape;
    /** Its index among the links of the source row; undefined if that has no column for it. */
    readonly link: number | undefined;
    readonly next: readonly Followed[];
}

/** The relation paths of a query. Each is read for a whole page by one statement, from its parent path. */
export class Relations {
    private readonly followed: readonly Followed[];
    /** The columns of the query's own entity that lead to what its relations refer to. */
    readonly links: readonly string[];

    constructor(
        private readonly projection: RelationProjection,
        private readonly platform: VendurePlatform,
    ) {
        this.followed = this.follow('', projection.root);
        this.links = linksOf(this.followed);
    }

    /** Puts what the relations lead to into records, one statement for each path. */
    *fill(records: Iterable<Shaped>): StatementProgram<void> {
        yield* this.fillFrom([...records], this.followed);
    }

    private follow(prefix: string, from: QuerySource): readonly Followed[] {
        const { entity, paths, language, isFlat } = this.projection;
        const here = withParents(paths).filter(
            path => path.startsWith(prefix) && !path.slice(prefix.length).includes('.'),
        );
        const relations = here.map(path => {
            const property = path.slice(prefix.length);
            return { path, property, relation: from.metadata.findRelationWithPropertyPath(property)! };
        });
        const withColumn = relations.filter(({ relation }) => hasColumn(relation)).map(({ path }) => path);
        return relations.map(({ path, property, relation }) => {
            const known = pathFrom(entity, path);
            const readable = 'to' in known ? known.to[known.to.length - 1]! : { relations: {} };
            const source = new QuerySource(relation.inverseEntityMetadata, readable, this.platform);
            const next = this.follow(`${path}.`, source);
            const links = linksOf(next);
            const shape = new Shape(source, { language, isFlat, keeps: () => true, links, marksDeleted: false });
            const link = withColumn.indexOf(path);
            return { property, relation, source, shape, next, link: link < 0 ? undefined : link };
        });
    }

    private *fillFrom(parents: readonly Shaped[], relations: readonly Followed[]): StatementProgram<void> {
        for (const followed of relations) {
            const found = yield* followed.link === undefined
                ? this.fillLists(parents, followed)
                : this.fillOnes(parents, followed, followed.link);
            yield* this.fillFrom([...found.values()], followed.next);
        }
    }

    /** The target of each of them, whether it is listed or not: it is a part of the entity that refers to it. */
    private *fillOnes(
        parents: readonly Shaped[],
        { property, source, shape }: Followed,
        link: number,
    ): StatementProgram<ReadonlyMap<Id, Shaped>> {
        const found = new Map<Id, Shaped>();
        const desired = new Set(parents.flatMap(({ links }) => links[link] ?? []));
        for (const ids of this.portions(desired)) {
            const conditions = [this.platform.database.dialect.oneOf(source.id('x'), ids), ...source.visible('x')];
            const rows = yield* select<Row>(sql`SELECT ${join([...shape.columns('x'), ...shape.textColumns('t')])}
                FROM ${source.table} AS ${name('x')}${shape.joinTexts('t', source.id('x'))}
                WHERE ${join(conditions, ' AND ')} ORDER BY ${join([source.id('x'), ...shape.textOrder('t')])}`);
            for (const row of rows) shape.take(row, found);
        }
        for (const { links, data } of parents) data[property] = found.get(links[link]!)?.data ?? null;
        return found;
    }

    private *fillLists(
        parents: readonly Shaped[],
        { property, relation, source, shape }: Followed,
    ): StatementProgram<ReadonlyMap<Id, Shaped>> {
        const found = new Map<Id, Shaped>();
        const lists = new Map<Id, { readonly list: JsonValue[]; last: Id | undefined }>();
        const isOne = relation.isOneToOne;
        for (const { id } of parents) lists.set(id, { list: [], last: undefined });
        const { parent, from } = wayTo(relation, source);
        for (const ids of this.portions(lists.keys())) {
            const conditions = [this.platform.database.dialect.oneOf(parent, ids), ...source.listed('x', false)];
            const columns = [sql`${parent} AS ${name('parent')}`, ...shape.columns('x'), ...shape.textColumns('t')];
            const rows = yield* select<Row>(sql`SELECT ${join(columns)} FROM ${from}
                ${source.joinChannel('x')}${shape.joinTexts('t', source.id('x'))}
                WHERE ${join(conditions, ' AND ')} ORDER BY ${join([...source.order('x'), ...shape.textOrder('t')])}`);
            for (const row of rows) {
                const shaped = shape.take(row, found);
                const of = lists.get(row['parent'] as Id);
                // Further translations of the one before.
                if (!of || of.last === shaped.id) continue;
                of.last = shaped.id;
                of.list.push(shaped.data);
            }
        }
        for (const { id, data } of parents) {
            const { list } = lists.get(id)!;
            data[property] = isOne ? (list[0] ?? null) : list;
        }
        return found;
    }

    /** As many as fit into one statement: all of them, except for the largest pages on MySQL and MariaDB. */
    private *portions(ids: Iterable<Id>): Iterable<readonly Id[]> {
        const all = [...ids];
        const { kind, maxParams } = this.platform.database.dialect;
        const most = kind === 'mysql' ? maxParams - 10 : Math.max(1, all.length);
        for (let at = 0; at < all.length; at += most) yield all.slice(at, at + most);
    }
}

function linksOf(relations: readonly Followed[]): readonly string[] {
    return relations
        .filter(({ link }) => link !== undefined)
        .map(({ relation }) => relation.joinColumns[0]!.databaseName);
}

/** Whether the source row of a relation has the id of the target. */
function hasColumn(relation: RelationMetadata): boolean {
    return relation.isManyToOne || relation.isOneToOneOwner;
}

/** The rows that a list is of, and the column that says of which parent each is. */
function wayTo(relation: RelationMetadata, source: QuerySource): { readonly parent: Sql; readonly from: Sql } {
    const target = sql`${source.table} AS ${name('x')}`;
    const junction = relation.junctionEntityMetadata;
    if (!junction)
        return { parent: source.at('x', relation.inverseRelation!.joinColumns[0]!.databaseName), from: target };
    const [own, other] = relation.isOwning
        ? [junction.ownerColumns, junction.inverseColumns]
        : [junction.inverseColumns, junction.ownerColumns];
    const parent = column('j', own[0]!.databaseName);
    const child = column('j', other[0]!.databaseName);
    return {
        parent,
        from: sql`${name(junction.tablePath)} AS ${name('j')} JOIN ${target} ON ${source.id('x')} = ${child}`,
    };
}
