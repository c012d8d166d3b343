// Not from @vendure/core, which loads all of Vendure.
import { Permission } from '@vendure/common/lib/generated-types';
import type { AuthOptions } from '@vendure/core';
import { nearWords } from '../core/data/near';
import { show } from '../core/data/show';
import type { PipelineDefinition } from '../core/pipeline/definition';
import { type Issue, pathTo } from '../core/pipeline/issues';

/** Vendure's marks for what needs no role: no role can hold them, so a run could never meet them. */
const HELD_BY_NOBODY: ReadonlySet<string> = new Set([Permission.Owner, Permission.Public]);

/** The permissions that a role of the shop can hold: Vendure's and those of all plugins, once these have been configured. */
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

/** A fault for each permission that `capabilities.requires` names and nobody can hold, with the near ones. */
export function unknownPermissions({ capabilities }: PipelineDefinition, known: ReadonlySet<string>): readonly Issue[] {
    return capabilities.requires.flatMap((permission, index): Issue[] => {
        if (known.has(permission)) return [];
        const path = pathTo('capabilities.requires', index);
        const near = nearWords(permission.slice(0, 64), [...known]).slice(0, 5);
        const hint =
            near.length > 0
                ? `Did you mean ${near.map(show).join(' or ')}?`
                : 'Allowed: the permissions that a role of the shop can have.';
        return [
            {
                code: 'PERMISSION_UNKNOWN',
                path,
                message: `${path} is ${show(permission)}, which is no permission. ${hint}`,
            },
        ];
    });
}
