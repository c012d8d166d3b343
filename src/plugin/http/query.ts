import { flowError } from '../../core/errors/flow-error';

/** Query parameters in the form of express: texts, lists of texts, objects. */
export type QueryValues = Readonly<Record<string, unknown>>;

/** The parameters that Vendure itself reads in every request. */
const OF_VENDURE: readonly string[] = ['vendure-token', 'languageCode', 'currencyCode'];

/** Returns the parameters if all are known or belong to Vendure, so that a misspelled one is not ignored. Throws INPUT_INVALID. */
export function knownOnly(query: QueryValues, known: readonly string[]): QueryValues {
    const other = Object.keys(query).find(name => !known.includes(name) && !OF_VENDURE.includes(name));
    if (other === undefined) return query;
    throw flowError('INPUT_INVALID', {
        problem: `the parameter "${other}" is not known; allowed: ${known.join(', ')}`,
    });
}
