import { clause } from '../../core/errors/rendered';
import { z } from 'zod';
import { LANGUAGE } from './operator-parts';
import { connectionCode, secretCode } from '../../core/schema/fields';
import { cronProblem } from '../../core/triggers/cron';
import { flowError } from '../../core/errors/flow-error';
import { addIssue, parseWith } from '../../core/schema/issues';
import { assetMapping, categoryMapping, productMapping } from './mapping';

const NAME = /^[_A-Za-z]\w*$/;
const name = z.string().regex(NAME, 'allowed: a name of GraphQL').max(128);
const path = z.string().max(1_000).regex(/^\//, 'allowed: a path of the PIM that begins with /, such as /Products');
const whole = (min: number, max: number, usual: number) => z.int().min(min).max(max).default(usual);
const yes = z.boolean().default(true);

const schedule = z
    .string()
    .superRefine((text, cx) => {
        const problem = cronProblem(text);
        if (problem !== undefined) addIssue(cx, problem);
    })
    .optional();

const query = z
    .strictObject({
        className: name.optional(),
        listingField: name.optional(),
        responseField: name.optional(),
        fragmentType: name.optional(),
        query: z.string().min(1).max(50_000).optional(),
    })
    .superRefine((given, cx) => {
        if (given.query === undefined) return;
        for (const field of ['className', 'listingField', 'fragmentType'] as const)
            if (given[field] !== undefined) addIssue(cx, clause`has no effect together with query`, [field]);
    })
    .prefault({});

const variantsField = name.nullable().optional();

/** The options of the connector, with their defaults. */
const optionsSchema = z.strictObject({
    connectionCode: connectionCode(['HTTP', 'REST', 'GRAPHQL'], { title: 'Connection', description: '' }),
    timeoutMs: whole(1, 300_000, 30_000),
    platformChannel: z.string().min(1).max(255).optional(),
    defaultLanguage: z.string().regex(LANGUAGE, 'allowed: a language such as en or pt_BR').default('en'),
    languages: z.array(z.string().regex(LANGUAGE, 'allowed: languages such as en or pt_BR')).min(1).max(100).optional(),
    webhookSecretCode: secretCode('Secret', '').default('pim-webhook-key'),
    sync: z
        .strictObject({
            deltaSync: yes,
            batchSize: whole(1, 1_000, 100),
            maxPages: whole(1, 10_000, 100),
            includeUnpublished: z.boolean().default(false),
            includeVariants: yes,
            pathFilter: path.optional(),
            missing: z.enum(['NONE', 'DISABLE', 'DELETE']).default('DISABLE'),
            missingMaxShare: z.number().min(0).max(1).default(0.1),
        })
        .prefault({}),
    mapping: z
        .strictObject({
            product: z.strictObject({ ...productMapping, variantsField }).prefault({}),
            category: z.strictObject(categoryMapping).prefault({}),
            asset: z.strictObject(assetMapping).prefault({}),
        })
        .prefault({}),
    queries: z.strictObject({ product: query, category: query, asset: query }).prefault({}),
    pipelines: z
        .strictObject({
            productSync: z
                .strictObject({
                    enabled: yes,
                    name: z.string().min(1).max(255).default('PIM Product Sync'),
                    schedule,
                    syncVariants: yes,
                })
                .prefault({}),
            categorySync: z.strictObject({ enabled: yes, schedule, rootPath: path.optional() }).prefault({}),
            assetSync: z
                .strictObject({
                    enabled: yes,
                    schedule,
                    folderPath: path.optional(),
                    mimeTypes: z
                        .array(z.string().regex(/^[\w.+-]+\/[\w.+-]+$/, 'allowed: types such as image/png'))
                        .min(1)
                        .max(100)
                        .default(['image/jpeg', 'image/png', 'image/webp']),
                })
                .prefault({}),
        })
        .prefault({}),
});

/** The options of `pimConnector`. */
export type PimConnectorOptions = z.input<typeof optionsSchema>;
/** With everything that was left out. */
export type PimOptions = z.output<typeof optionsSchema>;

/** Throws OPTION_INVALID with all errors: the field, its value and what is allowed. */
export function readPimOptions(given: PimConnectorOptions): PimOptions {
    const parsed = parseWith(optionsSchema, given);
    if (parsed.ok) return parsed.value;
    const problem = parsed.issues.map(({ message }) => message).join('; ');
    throw flowError('OPTION_INVALID', { option: 'connectors', problem: `pimConnector: ${problem}` });
}
