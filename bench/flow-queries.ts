import {
    getNamedType,
    type GraphQLField,
    type GraphQLObjectType,
    type GraphQLSchema,
    isInputObjectType,
    isLeafType,
    isNonNullType,
    isObjectType,
    Kind,
    type OperationDefinitionNode,
    parse,
} from 'graphql';
import { ownFields } from '../src/plugin/api/limited-responses';
import { isPage } from '../src/plugin/api/field-costs';
import { type QueryCost, queryCost } from '../src/plugin/api/query-cost';
import { adminApiSchema } from '../src/plugin/api/schema';

const OWN = ownFields(adminApiSchema);
/** The depth of nested objects in a selection: run, pipeline, revision. */
const DEPTH = 3;

/** A query of Flow in one form. */
export interface FlowQuery {
    readonly name: string;
    /**
     * `wide`: all fields of all objects. `narrow`: the first scalar field. `page`: all values of as many rows as a page
     * may have.
     */
    readonly form: 'wide' | 'narrow' | 'page';
    /** The field with its arguments and selection. */
    readonly text: string;
}

/** Values for required arguments in GraphQL syntax, by field and argument, or by argument. */
export type ArgumentValues = Readonly<Record<string, string>>;

/** Returns all queries that Flow adds to the schema. Throws if a required argument has no value. */
export function flowQueries(schema: GraphQLSchema, values: ArgumentValues): readonly FlowQuery[] {
    const names = OWN.get('Query') as ReadonlySet<string>;
    const { ...fields } = schema.getQueryType()!.getFields();
    return [...names].flatMap(name =>
        (['wide', 'narrow', 'page'] as const).map(form => ({ name, form, text: textOf(fields[name]!, form, values) })),
    );
}

/** Returns the operation that requests a query under this number of aliases. */
export function aliased({ text }: FlowQuery, count: number): string {
    return `query Aliases { ${Array.from({ length: count }, (_, i) => `a${i}: ${text}`).join(' ')} }`;
}

/** A field of one of Flow's types, with the shortest path to it from a query. */
export interface FlowField {
    /** `FlowPipeline.openErrors` */
    readonly name: string;
    /** Returns the operation that requests it under this number of aliases. */
    aliased(count: number): string;
}

/** A type of Flow, and the query that leads to it. */
interface WayTo {
    readonly type: GraphQLObjectType;
    around(selection: string): string;
}

/** Rows of the pages on the path to a field. */
const ROWS = 10;

/**
 * Returns all fields of Flow's types that queries lead to. Types of pages come first, since they have rows. Throws if a
 * required argument has no value.
 */
export function flowFields(schema: GraphQLSchema, values: ArgumentValues): readonly FlowField[] {
    const queries = [...(OWN.get('Query') as ReadonlySet<string>)].map(
        name => schema.getQueryType()!.getFields()[name]!,
    );
    const ways = queries.flatMap(field =>
        wayBehind(field, selection => `query Fields { ${callOf(field, ROWS, values)} { ${selection} } }`),
    );
    const isPageWay = ({ type }: WayTo): boolean => isPage(type);
    const waiting = [...ways.filter(isPageWay), ...ways.filter(way => !isPageWay(way))];
    const seen = new Set<string>();
    const fields: FlowField[] = [];
    for (let way = waiting.shift(); way; way = waiting.shift()) {
        const { type, around } = way;
        if (seen.has(type.name)) continue;
        seen.add(type.name);
        for (const field of Object.values(type.getFields())) {
            const text = `${field.name}${selectionOf(field, 0)}`;
            const aliases = (count: number): string =>
                Array.from({ length: count }, (_, i) => `a${i}: ${text}`).join(' ');
            fields.push({ name: `${type.name}.${field.name}`, aliased: count => around(aliases(count)) });
            const below = wayBehind(field, selection => around(`${field.name} { ${selection} }`));
            // Rows of a page come before what belongs to other objects.
            if (isPage(type)) waiting.unshift(...below);
            else waiting.push(...below);
        }
    }
    return fields;
}

function wayBehind(field: GraphQLField<unknown, unknown>, around: WayTo['around']): readonly WayTo[] {
    const type = getNamedType(field.type);
    return isObjectType(type) && OWN.get(type.name) === 'all' ? [{ type, around }] : [];
}

/** Returns the cost of an operation. */
export function costOfText(schema: GraphQLSchema, text: string, defaultTake = 1_000): QueryCost {
    const document = parse(text);
    const operation = document.definitions.find(
        (one): one is OperationDefinitionNode => one.kind === Kind.OPERATION_DEFINITION,
    )!;
    return queryCost({ schema, operation, fragments: new Map(), variables: {}, own: OWN, defaultTake });
}

function textOf(field: GraphQLField<unknown, unknown>, form: FlowQuery['form'], values: ArgumentValues): string {
    const take = form === 'wide' ? ROWS : form === 'narrow' ? 1 : 1_000;
    return callOf(field, take, values) + selectionOf(field, form === 'wide' ? DEPTH : form === 'page' ? 1 : 0);
}

function callOf({ name: field, args }: GraphQLField<unknown, unknown>, take: number, values: ArgumentValues): string {
    const given = args.flatMap(({ name, type }) => {
        const value = values[`${field}.${name}`] ?? values[name];
        const named = getNamedType(type);
        if (name === 'options' && isInputObjectType(named)) return [`options: { take: ${take} }`];
        if (name === 'take') return [`take: ${Math.min(take, 50)}`];
        if (isNonNullType(type) && value === undefined) throw new Error(`${field} needs a value for ${name}`);
        return value === undefined ? [] : [`${name}: ${value}`];
    });
    return given.length === 0 ? field : `${field}(${given.join(', ')})`;
}

function selectionOf(field: GraphQLField<unknown, unknown>, depth: number): string {
    const type = getNamedType(field.type);
    if (!isObjectType(type)) return '';
    const fields = Object.values(type.getFields());
    const isLeaf = (one: GraphQLField<unknown, unknown>): boolean => isLeafType(getNamedType(one.type));
    const leaves = fields.filter(isLeaf);
    const objects = fields.filter(one => !isLeaf(one));
    if (depth === 0) {
        const [first] = leaves;
        return first ? ` { ${first.name} }` : ` { ${objects[0]!.name}${selectionOf(objects[0]!, 0)} }`;
    }
    const inner = objects.map(one => {
        const below = isPage(type) && one.name === 'items' ? depth : depth - 1;
        return below === 0 ? '' : `${one.name}${selectionOf(one, below)}`;
    });
    return ` { ${[...leaves.map(({ name }) => name), ...inner.filter(Boolean)].join(' ') || '__typename'} }`;
}
