import { clause, type FactText } from '../../core/errors/rendered';
import { z } from 'zod';
import { GROUPS, inGroup } from '../../core/schema/groups';
import { type Advice, withoutEffect } from '../../core/adapter/base';
import { codeFirst } from '../../core/schema/code-fields';
import { path } from '../../core/schema/fields';
import { sinkFields } from '../../core/schema/sink-fields';

const { batchSize, defaultOperation } = sinkFields;

/** The placeholder for the step's language in the name of an index. */
const LANGUAGE = '${languageCode}';

/** A list of paths that only pipelines defined in code may set. */
function codePaths(title: string, description: string): z.ZodOptional<z.ZodArray<z.ZodString>> {
    return codeFirst(z.array(path('Path', 'A field of the record.')).min(1).max(1_000))
        .optional()
        .meta({ title, description: `${description} Only for code-first pipelines.` });
}

/** The configuration that all of Flow's own sinks share. */
export const commonFields = {
    batchSize,
    defaultOperation,
    ...inGroup(GROUPS.content, {
        languageCode: z
            .string()
            .regex(/^[A-Za-z]{2,8}([_-][A-Za-z0-9]{1,8})*$/, 'allowed: a language code such as en or pt_BR')
            .optional()
            .meta({
                title: 'Language',
                description: `Delivers the translation in this language: its texts replace those of the record, and the list of translations is omitted. Also replaces ${LANGUAGE} in the name of an index or collection.`,
            }),
        translationsField: path(
            'Translations field',
            'The field with the translations: a list of objects with languageCode, or an object by language. Default: `translations`.',
        ).optional(),
        channelCode: z.string().min(1).max(255).optional().meta({
            title: 'Channel',
            description:
                'Only delivers records whose list of channels contains this code, and records without such a list; the others are filtered.',
        }),
        fields: codePaths('Fields', 'Only these fields of a record are sent, and its id.'),
        excludeFields: codePaths(
            'Left out',
            'These top-level fields are not sent; ignored together with fields. The id is always sent if the target reads it from the record.',
        ),
        channelField: codeFirst(path('Channel field', 'The field with the list of channels. Default: `channels`.'))
            .optional()
            .meta({
                title: 'Channel field',
                description:
                    'The field with the list of channels: codes, or objects with a code. Default: `channels`. Only for code-first pipelines.',
            }),
    }),
} as const;

/** The parsed values of these fields. */
export type CommonArgs = z.output<z.ZodObject<typeof commonFields>>;

/** Warns of common fields without effect. */
export function adviseCommon({
    languageCode,
    translationsField,
    channelCode,
    channelField,
    fields,
    excludeFields,
}: Omit<CommonArgs, 'batchSize' | 'defaultOperation'>): readonly Advice[] {
    return [
        ...(translationsField !== undefined && languageCode === undefined
            ? [withoutEffect('translationsField', clause`without languageCode`)]
            : []),
        ...(channelField !== undefined && channelCode === undefined
            ? [withoutEffect('channelField', clause`without channelCode`)]
            : []),
        ...(fields && excludeFields ? [withoutEffect('excludeFields', clause`together with fields`)] : []),
    ];
}

/** The name of an index or collection, which may contain the language. */
export function indexName(title: string, description: string): z.ZodString {
    return (
        z
            .string()
            .min(1)
            .max(200)
            // The name is part of addresses, in which a segment of dots leads elsewhere.
            .regex(
                /^(?!\.{1,2}$)[^\s\p{C}/\\?#%*"<>|,]+$/u,
                'allowed: letters, digits, hyphens, underscores and dots, and no dots alone',
            )
            .meta({ title, description: `${description} ${LANGUAGE} is replaced by the language of the step.` })
    );
}

/** Reports a name with the language if the step does not set the language. */
export function checkName(
    field: string,
    { name, languageCode }: { readonly name: unknown; readonly languageCode: unknown },
    issue: (path: string, problem: FactText) => void,
): void {
    if (typeof name !== 'string') return;
    if (name.includes(LANGUAGE) && languageCode === undefined)
        issue('languageCode', clause`is missing; ${field} has ${LANGUAGE} in it`);
    const rest = name.replaceAll(LANGUAGE, '');
    if (/[${}]/.test(rest)) issue(field, clause`has a $, { or } in it that is not part of ${LANGUAGE}`);
}

/** The name with the language in it. */
export function namedFor(name: string, languageCode: string | undefined): string {
    return name.replaceAll(LANGUAGE, languageCode ?? '');
}
