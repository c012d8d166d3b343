import { useLingui } from '@lingui/react/macro';
import type { NoPart } from '../model/clipboard';

/** Why a text cannot be pasted, and what can be. */
export function useRefusalText(): (refused: NoPart) => string {
    const { t } = useLingui();
    return refused => {
        switch (refused.problem) {
            case 'no-json':
                return t`Not valid JSON. Paste copied steps or a pipeline as JSON.`;
            case 'no-steps':
                return t`No steps found. Paste copied steps or a pipeline as JSON.`;
            case 'too-large':
                return t`Too large. At most 1 MiB can be pasted.`;
            case 'too-many':
                return t`Too many steps. A pipeline has at most 200.`;
            case 'too-deep':
                return t`Too deeply nested. At most 32 levels are allowed.`;
            case 'no-step': {
                const { at } = refused;
                return t`Entry ${at} is not a step. A step has a key, a kind and a config.`;
            }
            case 'key': {
                const { at } = refused;
                return t`The key of step ${at} cannot be used: it has 1 to 64 letters, digits, hyphens and underscores.`;
            }
            case 'reserved': {
                const { at } = refused;
                return t`Step ${at} has a field with a name that is not allowed: __proto__, constructor or prototype.`;
            }
        }
    };
}
