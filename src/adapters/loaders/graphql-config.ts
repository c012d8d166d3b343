import { clause, type FactText } from '../../core/errors/rendered';
import { z } from 'zod';
import { SINK_OPERATIONS } from '../../core/adapter/sink';
import { pathOf, pathProblem } from '../../core/data/path';
import { path, pathMapping, wholeNumber, withRules } from '../../core/schema/fields';
import { hasPlaceholders } from '../requests/placeholders';
import { checkDelivery, deliveryFields, endpointField } from './delivery-fields';
import { type Mutation, readMutation } from './graphql-document';

const MAX_MUTATION = 20_000;

const variableName = (title: string, description: string) =>
    z.string().min(1).max(128).optional().meta({ title, description });

/** The arguments of graphqlMutation. */
export const mutationConfig = withRules(
    z.strictObject({
        endpoint: endpointField(
            'The address of the GraphQL API: relative to the base URL of the connection, or of the same origin. Default: the base URL itself.',
        ),
        mutation: z.string().min(1).max(MAX_MUTATION).meta({
            title: 'Mutation',
            description: 'A GraphQL document with one mutation that has one field, and fragments if needed.',
            widget: 'textarea',
        }),
        variables: pathMapping(
            'Variables',
            'The field of a record for each variable. Default: each variable without another source takes the field with its name.',
        ).optional(),
        recordVariable: variableName('Variable of the record', 'The variable for the whole record.'),
        deliveryIdVariable: variableName(
            'Variable of the delivery id',
            'The variable for an id that stays the same whenever this run delivers the record.',
        ),
        batchSize: wholeNumber(
            { min: 1, max: 500 },
            {
                title: 'Records a request',
                description: 'The number of records per document, each with a separate alias.',
            },
        ).default(1),
        errorsPath: path(
            'Errors',
            "The path of the error in the field's result. If it is missing, null, false, or an empty text or list, the record is delivered.",
        ).default('userErrors'),
        operation: z.enum(SINK_OPERATIONS).default('UPSERT').meta({
            title: 'Operation',
            description: 'What the mutation does. Records with a different `__operation` are rejected.',
        }),
        ...deliveryFields,
    }),
    (args, issue) => {
        checkDelivery(args, issue);
        const { endpoint, mutation: text, batchSize } = args;
        if (typeof endpoint === 'string' && hasPlaceholders(endpoint))
            issue('endpoint', clause`contains {{…}}; use variables for values that differ between records`);
        if (typeof text !== 'string' || text === '' || text.length > MAX_MUTATION) return;
        const mutation = readMutation(text);
        if ('problem' in mutation) return issue('mutation', mutation.problem);
        if (batchSize > 1 && mutation.aloneBecause !== undefined)
            issue(
                'mutation',
                clause`${mutation.aloneBecause}, so a document cannot contain it more than once; leave batchSize out`,
            );
        checkVariables(args, mutation, issue);
    },
);
export type MutationArgs = z.output<typeof mutationConfig>;

function checkVariables(
    {
        variables,
        recordVariable,
        deliveryIdVariable,
    }: Pick<MutationArgs, 'variables' | 'recordVariable' | 'deliveryIdVariable'>,
    { variables: declared }: Mutation,
    issue: (path: string, problem: FactText) => void,
): void {
    const known = declared.map(({ name }) => name);
    const allowed = known.length === 0 ? clause`it declares none` : clause`it declares ${known.join(', ')}`;
    const mapped = typeof variables === 'object' ? Object.keys(variables) : undefined;
    const given: ReadonlyArray<readonly [place: string, name: unknown]> = [
        ...(mapped ?? []).map(name => [`variables.${name}`, name] as const),
        ['recordVariable', recordVariable],
        ['deliveryIdVariable', deliveryIdVariable],
    ];
    const seen = new Set<unknown>();
    for (const [place, name] of given) {
        if (name === undefined) continue;
        if (!known.includes(name as string)) issue(place, clause`is not a variable of the mutation; ${allowed}`);
        else if (seen.has(name)) issue(place, clause`is a variable that takes something else already`);
        seen.add(name);
    }
    if (known.length === 0)
        return issue('mutation', clause`declares no variable, so that nothing of a record would be sent`);
    const odd = known.find(name => pathProblem(pathOf(name)) !== undefined);
    if (odd !== undefined)
        return issue('mutation', clause`has a variable $${odd}, which no field can be called; rename it`);
    if (mapped === undefined) return;
    const missing = declared.find(({ name, isRequired }) => isRequired && !seen.has(name));
    if (missing) issue('variables', clause`says nothing of $${missing.name}, which the mutation needs`);
}
