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
                return t`Too deeply nested.`;
            case 'alias':
                return t`YAML aliases are not supported. Write the values out.`;
            case 'shape':
                return t`A definition is an object with version, steps and edges.`;
            case 'reserved':
                return t`“${message}” is not allowed as a field name.`;
            case 'syntax':
                return message;
        }
    };
}
