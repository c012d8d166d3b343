// Not imported from @vendure/core, which loads all of Vendure.
import { Permission } from '@vendure/common/lib/generated-types';
import type { AuthOptions } from '@vendure/core';
import { isJsonObject } from '../core/value/json';
import { didYouMean } from '../core/data/similar-words';
import { factText } from '../core/errors/rendered';
import { ISSUE_TEXTS, ISSUE_WORDS } from '../core/schema/issue-texts';
import { issueAt } from '../core/schema/issues';
import { show } from '../core/value/show';
import { type Issue, Issues, pathTo } from '../core/pipeline/issues';
import { runAtOnce, type YieldingTask } from '../core/concurrency/yielding-task';

/** Vendure's markers for operations that need no role. No role can have them, so a run could never meet them. */
const HELD_BY_NOBODY: ReadonlySet<string> = new Set([Permission.Owner, Permission.Public]);

/** The permissions that a role of the shop can have: those of Vendure and of all plugins, once these have been configured. */
export function knownPermissions({
    authOptions,
}: {
    readonly authOptions: Pick<Required<AuthOptions>, 'customPermissions'>;
}): ReadonlySet<string> {
    const own = Object.values<string>(Permission).filter(permission => !HELD_BY_NOBODY.has(permission));
    const custom = authOptions.customPermissions
        .flatMap(permission => permission.getMetadata())
        .filter(({ assignable }) => assignable);
    return new Set([...own, ...custom.map(({ name }) => name)]);
}

/**
 * Returns an issue for each permission that `capabilities.requires` of a definition names and that no role can have, with similar names.
 */
export function unknownPermissions(
    definition: { readonly capabilities?: unknown },
    known: ReadonlySet<string>,
): readonly Issue[] {
    return runAtOnce(findingUnknownPermissions(definition, known));
}

/** As `unknownPermissions`, as a generator. */
export function* findingUnknownPermissions(
    { capabilities }: { readonly capabilities?: unknown },
    known: ReadonlySet<string>,
): YieldingTask<readonly Issue[]> {
    const issues = new Issues();
    const requires: unknown = isJsonObject(capabilities) ? capabilities['requires'] : undefined;
    if (!Array.isArray(requires)) return [];
    for (const [index, permission] of (requires as readonly unknown[]).entries()) {
        yield;
        // Values that are not texts are reported by the definition's own check.
        if (typeof permission !== 'string' || known.has(permission)) continue;
        issues.addLazily(() => {
            const path = pathTo('capabilities.requires', index);
            const hint = didYouMean(permission.slice(0, 64), [...known]) ?? factText(ISSUE_WORDS.permissions);
            const facts = { value: show(permission), hint };
            return { code: 'PERMISSION_UNKNOWN', ...issueAt(path, ISSUE_TEXTS.noSuchPermission, facts) };
        });
    }
    return issues.list;
}
