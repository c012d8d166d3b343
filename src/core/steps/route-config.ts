import { clause } from '../errors/rendered';
import { z } from 'zod';
import type { Advice } from '../adapter/base';
import { conditions } from '../operators/logic/condition';
import { conditionAdvice } from '../operators/logic/condition-advice';
import { withRules } from '../schema/fields';

/** Where records go that match no branch. */
export const DEFAULT_BRANCH = 'default';

/** To how many of the branches that it matches a record goes. */
const ROUTE_MODES = ['FIRST', 'ALL'] as const;
export type RouteMode = (typeof ROUTE_MODES)[number];

const BRANCH_NAME = /^[A-Za-z0-9_-]{1,64}$/;
const MAX_BRANCHES = 50;

const branch = z.strictObject({
    name: z
        .string()
        .regex(BRANCH_NAME, 'allowed: 1 to 64 letters, digits, hyphens and underscores')
        .refine(
            name => name !== DEFAULT_BRANCH,
            `allowed: another name; "${DEFAULT_BRANCH}" is where records go that match no branch`,
        )
        .meta({ title: 'Name', description: 'The name that edges use for this branch.' }),
    when: conditions('When', 'All of these must be met.'),
});

/** The configuration of a ROUTE step. */
export const routeConfig = withRules(
    z.strictObject({
        mode: z.enum(ROUTE_MODES).default('FIRST').meta({
            title: 'Mode',
            description: 'FIRST sends a record to the first branch that it matches, ALL to every matching branch.',
            aliases: {},
        }),
        branches: z.array(branch).min(1).max(MAX_BRANCHES).meta({ title: 'Branches', description: 'In this order.' }),
    }),
    ({ branches }, issue) => {
        const seen = new Set<string>();
        for (const [index, name] of namesOf(branches).entries()) {
            if (name === undefined) continue;
            if (seen.has(name))
                issue(`branches.${index}.name`, clause`allowed: a unique name; another branch has it already`);
            seen.add(name);
        }
    },
);

/** Warns about conditions that probably do not have the intended meaning. */
export function adviseRoute({ branches }: z.output<typeof routeConfig>): readonly Advice[] {
    return branches.flatMap(({ when }, index) => conditionAdvice(when, `branches.${index}.when`));
}

/** An invalid configuration may contain anything. */
function namesOf(branches: unknown): ReadonlyArray<string | undefined> {
    const list = Array.isArray(branches) ? (branches as readonly unknown[]).slice(0, MAX_BRANCHES) : [];
    return list.map(one => {
        const name = typeof one === 'object' && one !== null ? (one as { readonly name?: unknown }).name : undefined;
        return typeof name === 'string' ? name : undefined;
    });
}

/** The branches that the edges of a ROUTE step may name; undefined if its configuration does not determine them. */
export function branchesOf(config: { readonly branches?: unknown } | undefined): readonly string[] | undefined {
    const names = namesOf(config?.branches).filter(name => name !== undefined);
    return names.length === 0 ? undefined : [...new Set([...names, DEFAULT_BRANCH])];
}
