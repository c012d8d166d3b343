import {
    getNamedType,
    type GraphQLField,
    type GraphQLSchema,
    isInputObjectType,
    isLeafType,
    isNonNullType,
    isObjectType,
    Kind,
    type OperationDefinitionNode,
    parse,
} from 'graphql';
import { ownFields } from '../src/plugin/api/bounded-answers';
import { type QueryCost, queryCost } from '../src/plugin/api/query-cost';
import { adminApiSchema } from '../src/plugin/api/schema';

const OWN = ownFields(adminApiSchema);
/** As deep as objects are selected within each other: run, pipeline, revision. */
const DEPTH = 3;

/** One query of Flow, in one form. */
export interface FlowQuery {
    readonly name: string;
    /** `wide`: all fields of all objects. `narrow`: the first field that has no fields of its own. `page`: all values of as many rows as there may be. */
    readonly form: 'wide' | 'narrow' | 'page';
    /** The field with its arguments and selection. */
    readonly text: string;
}

/** Values for required arguments, as GraphQL writes them: by field and argument, or by argument. */
export type ArgumentValues = Readonly<Record<string, string>>;

/** All queries that Flow adds to the schema. Throws where a required argument has no value. */
export function flowQueries(schema: GraphQLSchema, values: ArgumentValues): readonly FlowQuery[] {
    const names = OWN.get('Query') as ReadonlySet<string>;
    const { ...fields } = schema.getQueryType()!.getFields();
    return [...names].flatMap(name =>
        (['wide', 'narrow', 'page'] as const).map(form => ({ name, form, text: textOf(fields[name]!, form, values) })),
    );
}

/** The operation that asks for a query under so many names. */
export function aliased({ text }: FlowQuery, count: number): string {
    return `query Aliases { ${Array.from({ length: count }, (_, i) => `a${i}: ${text}`).join(' ')} }`;
}

/** What an operation costs. */
export function costOfText(schema: GraphQLSchema, text: string, defaultTake = 1_000): QueryCost {
    const document = parse(text);
    const operation = document.definitions.find(
        (one): one is OperationDefinitionNode => one.kind === Kind.OPERATION_DEFINITION,
    )!;
    return queryCost({ schema, operation, fragments: new Map(), variables: {}, own: OWN, defaultTake });
}

function textOf(field: GraphQLField<unknown, unknown>, form: FlowQuery['form'], values: ArgumentValues): string {
    const given = field.args.flatMap(({ name, type }) => {
        const value = values[`${field.name}.${name}`] ?? values[name];
        const take = form === 'wide' ? 10 : form === 'narrow' ? 1 : 1_000;
        const named = getNamedType(type);
        if (name === 'options' && isInputObjectType(named)) return [`options: { take: ${take} }`];
        if (name === 'take') return [`take: ${Math.min(take, 50)}`];
        if (isNonNullType(type) && value === undefined) throw new Error(`${field.name} needs a value for ${name}`);
        return value === undefined ? [] : [`${name}: ${value}`];
    });
    const call = given.length === 0 ? field.name : `${field.name}(${given.join(', ')})`;
    return call + selectionOf(field, form === 'wide' ? DEPTH : form === 'page' ? 1 : 0);
}

function selectionOf(field: GraphQLField<unknown, unknown>, depth: number): string {
    const type = getNamedType(field.type);
    if (!isObjectType(type)) return '';
    const fields = Object.values(type.getFields());
    const isLeaf = (one: GraphQLField<unknown, unknown>): boolean => isLeafType(getNamedType(one.type));
    const leaves = fields.filter(isLeaf);
    const objects = fields.filter(one => !isLeaf(one));
    const isPage = objects.some(({ name }) => name === 'items');
    if (depth === 0) {
        const [first] = leaves;
        return first ? ` { ${first.name} }` : ` { ${objects[0]!.name}${selectionOf(objects[0]!, 0)} }`;
    }
    const inner = objects.map(one => {
        const below = isPage && one.name === 'items' ? depth : depth - 1;
        return below === 0 ? '' : `${one.name}${selectionOf(one, below)}`;
    });
    return ` { ${[...leaves.map(({ name }) => name), ...inner.filter(Boolean)].join(' ') || '__typename'} }`;
}
