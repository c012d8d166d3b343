import { flowError } from '../../core/errors/flow-error';

/** Query parameters as express has them: texts, lists of texts, objects. */
export type QueryValues = Readonly<Record<string, unknown>>;

/** What Vendure itself reads of every request. */
const OF_VENDURE: readonly string[] = ['vendure-token', 'languageCode', 'currencyCode'];

/** The parameters of a request, if it has no others than Vendure's own: a misspelled one must not be ignored. Throws INPUT_INVALID. */
export function knownOnly(query: QueryValues, known: readonly string[]): QueryValues {
    const other = Object.keys(query).find(name => !known.includes(name) && !OF_VENDURE.includes(name));
    if (other === undefined) return query;
    throw flowError('INPUT_INVALID', {
        problem: `the parameter "${other}" is not known; allowed: ${known.join(', ')}`,
    });
}
