import {
    type FragmentDefinitionNode,
    getNamedType,
    type GraphQLObjectType,
    Kind,
    type OperationDefinitionNode,
    parse,
} from 'graphql';
import { adminSchema } from '../../../test/fixtures/admin-schema';
import { ownFields } from './limited-responses';
import { FIELD_COSTS } from './field-costs';
import { queryCost } from './query-cost';
import { adminApiSchema } from './schema';

const schema = adminSchema();
const own = ownFields(adminApiSchema);

const QUERY = 50;
const VALUE = 0.25;
const PAGE = 200;
/** The rows of a list without an explicit number. */
const UNSAID = 1_000;

function fieldCost(text: string, variables: Readonly<Record<string, unknown>> = {}): number {
    const { definitions } = parse(text);
    const operation = definitions.find(
        (one): one is OperationDefinitionNode => one.kind === Kind.OPERATION_DEFINITION,
    )!;
    const fragments = new Map(
        definitions
            .filter((one): one is FragmentDefinitionNode => one.kind === Kind.FRAGMENT_DEFINITION)
            .map(one => [one.name.value, one]),
    );
    return queryCost({ schema, operation, fragments, variables, own, defaultTake: UNSAID }).cost;
}

type Case = readonly [string, string, number, Readonly<Record<string, unknown>>?];

describe('an operation', () => {
    it.each<Case>([
        ['nothing of Flow', '{ products { id variants { id } } }', 0],
        ['one object', '{ flowFile(id: 1) { filename } }', QUERY + VALUE],
        ['an object within it', '{ flowFile(id: 1) { uploadedBy { id } } }', QUERY + 1 + VALUE],
        ['the rows of a list', '{ flowSecrets(options: { take: 7 }) { items { code } } }', PAGE + 7 * (1 + VALUE)],
        [
            'the rows of a list of which only the number is requested',
            '{ flowSecrets(options: { take: 7 }) { totalItems } }',
            PAGE + VALUE + 7,
        ],
        ['a JSON value in rows', '{ flowLogs(options: { take: 5 }) { items { facts } } }', PAGE + 5 * (1 + 1)],
        ['a list without a number of rows', '{ flowSecrets { items { code } } }', PAGE + UNSAID * (1 + VALUE)],
        [
            '… or with the number 0',
            '{ flowSecrets(options: { take: 0 }) { items { code } } }',
            PAGE + UNSAID * (1 + VALUE),
        ],
        [
            '… in a variable that is not given',
            'query($o: FlowSecretListOptions) { flowSecrets(options: $o) { items { code } } }',
            PAGE + UNSAID * (1 + VALUE),
        ],
        [
            'rows by a variable',
            'query($n: Int) { flowSecrets(options: { take: $n }) { totalItems } }',
            PAGE + VALUE + 5,
            { n: 5 },
        ],
        [
            'rows by the default of a variable',
            'query($n: Int = 9) { flowSecrets(options: { take: $n }) { totalItems } }',
            PAGE + VALUE + 9,
        ],
        [
            'rows by a variable for all options',
            'query($o: FlowSecretListOptions) { flowSecrets(options: $o) { totalItems } }',
            PAGE + VALUE + 8,
            { o: { take: 8 } },
        ],
        [
            'objects within rows',
            '{ flowPipelineRuns(options: { take: 6 }) { items { pipeline { revision { number } } } } }',
            PAGE + 6 * (4 + VALUE),
        ],
        [
            'lists within rows',
            '{ flowPipelines(options: { take: 5 }) { items { days { start } } } }',
            PAGE + 5 * (1 + 1 + 30 * (1 + VALUE)),
        ],
        [
            'names for one query',
            '{ a: flowFile(id: 1) { id } b: flowFile(id: 1) { id } c: flowFile(id: 1) { id } }',
            3 * (QUERY + VALUE),
        ],
        [
            'names for the rows of a page',
            '{ flowSecrets(options: { take: 7 }) { a: items { code } b: items { id } } }',
            PAGE + 14 * (1 + VALUE),
        ],
        [
            'names for an object within rows',
            '{ flowPipelineRuns(options: { take: 6 }) { items { a: pipeline { id } b: pipeline { id } } } }',
            PAGE + 6 * (4 + 2 * VALUE),
        ],
        [
            'a fragment as often as it is spread',
            '{ a: flowFile(id: 1) { ...F } b: flowFile(id: 1) { ...F } } fragment F on FlowFile { uploadedBy { id } }',
            2 * (QUERY + 1 + VALUE),
        ],
        [
            'a fragment of a page',
            '{ flowSecrets(options: { take: 7 }) { ...P } } fragment P on FlowSecretList { items { code } }',
            PAGE + 7 * (1 + VALUE),
        ],
        ['a fragment of the root', '{ ...R ...R } fragment R on Query { flowFile(id: 1) { id } }', 2 * (QUERY + VALUE)],
        [
            'inline fragments',
            '{ flowPipelineRuns(options: { take: 6 }) { ... on FlowPipelineRunList { items { ... { pipeline { id } } } } } }',
            PAGE + 6 * (3 + VALUE),
        ],
        [
            'what is skipped',
            'query($s: Boolean!) { flowFile(id: 1) @skip(if: $s) { id } b: flowFile(id: 1) @include(if: false) { id } }',
            0,
            { s: true },
        ],
        [
            'what is not skipped',
            'query($s: Boolean!) { flowFile(id: 1) @skip(if: $s) { id } b: flowFile(id: 1) @include(if: true) { id } }',
            2 * (QUERY + VALUE),
            { s: false },
        ],
        ['a mutation', 'mutation { deleteFlowSecret(id: 1) { result } }', 50],
    ])('costs %s', (...given) => {
        const [, text, cost, variables] = given as unknown as Case;
        expect(fieldCost(text, variables)).toBe(cost);
    });

    it('is computed once for each fragment, however often fragments multiply it', () => {
        const depth = 200;
        const fragments = Array.from(
            { length: depth },
            (_, i) =>
                `fragment F${i} on FlowPipeline { a: lastRun { pipeline { ...F${i + 1} } } b: lastRun { pipeline { ...F${i + 1} } } }`,
        );
        const text = `{ flowPipeline(id: 1) { ...F0 } } ${fragments.join(' ')} fragment F${depth} on FlowPipeline { lastRun { id } }`;
        expect(fieldCost(text)).toBe(Number.MAX_SAFE_INTEGER);
    });
});

it('costs are declared for fields that the schema has', () => {
    for (const name of Object.keys(FIELD_COSTS)) {
        const [type = '', field = ''] = name.split('.');
        const fields = (schema.getType(type) as GraphQLObjectType | undefined)?.getFields() ?? {};
        expect([name, fields[field] && getNamedType(fields[field].type).name]).toEqual([name, expect.any(String)]);
    }
});
