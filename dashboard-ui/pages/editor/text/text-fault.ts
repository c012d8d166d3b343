import { useLingui } from '@lingui/react/macro';
import type { TextFault } from './definition-text';

/** Says what is wrong with a text that holds no definition; about its syntax the parser has the word. */
export function useTextFault(): (fault: TextFault) => string {
    const { t } = useLingui();
    return ({ problem, message }) => {
        switch (problem) {
            case 'large':
                return t`At most 2 MiB of text can be edited here.`;
            case 'deep':
                return t`It is nested too deeply.`;
            case 'alias':
                return t`Aliases of YAML are not taken: write out what they stand for.`;
            case 'shape':
                return t`A definition is an object with version, steps and edges.`;
            case 'reserved':
                return t`No field may be called “${message}”.`;
            case 'syntax':
                return message;
        }
    };
}
