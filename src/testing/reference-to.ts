import type { BatchRule, Rule } from '../core/adapter/rule';
import { isNothing } from '../core/data/decimal';
import type { JsonValue } from '../core/value/json';
import { compilePath } from '../core/data/path';
import { show } from '../core/value/show';
import { flowError } from '../core/errors/flow-error';

/** The rule that queries a shop. */
export const REFERENCE = 'reference';

/** The rule `reference` with a shop that has these and nothing else. */
export function referenceTo(rule: Rule, existing: Readonly<Record<string, readonly string[]>> | undefined): Rule {
    return {
        ...rule,
        form: 'batch',
        examples: rule.examples as BatchRule['examples'],
        open: spec => {
            const { field, entity, required } = spec as { field: string; entity: string; required: boolean };
            const known = existing && Object.hasOwn(existing, entity) ? existing[entity]! : undefined;
            if (!known)
                throw flowError('INPUT_INVALID', {
                    problem: `The rule reference needs a shop; say what it has: existing: { ${entity}: [...] }`,
                });
            const from = compilePath(field);
            return batch =>
                batch.map(({ data }) => {
                    const value = from.get(data);
                    if (isNothing(value))
                        return required ? { path: field, problem: 'is required but missing' } : undefined;
                    const missing = (Array.isArray(value) ? (value as readonly JsonValue[]) : [value]).find(
                        name => !known.includes(String(name)),
                    );
                    return missing === undefined
                        ? undefined
                        : { path: field, problem: `is ${show(missing)}, which the shop of the test does not have` };
                });
        },
    };
}
