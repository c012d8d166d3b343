import { useLingui } from '@lingui/react/macro';
import { useFieldWords } from '../field-words';
import type { Remedy } from '../import-plan';
import type { ImportCause } from './check.graphql';

/** Why rows were rejected, in a sentence. */
export function useCauseText(): (cause: ImportCause) => string {
    const { t } = useLingui();
    const fieldOf = useFieldWords();
    return ({ code, field, column, value }) => {
        const name = field === null ? (column ?? '') : fieldOf(field);
        const given = value ?? '';
        switch (code) {
            case 'EMPTY':
                return t`${name}: empty.`;
            case 'NOT_A_NUMBER':
                return value === null ? t`${name}: not a number.` : t`${name}: “${given}” is not a number.`;
            case 'NO_PRICE':
                return t`Price: empty. New products need one.`;
            case 'UNKNOWN_FACET_VALUE':
                return t`The facet value “${given}” does not exist.`;
            case 'UNKNOWN_TAX_CATEGORY':
                return t`The tax category “${given}” does not exist.`;
            case 'UNKNOWN_SKU':
                return value === null ? t`No variant has this SKU.` : t`No variant has the SKU “${given}”.`;
            case 'UNKNOWN':
                return t`${name}: “${given}” does not exist in the shop.`;
            case 'DUPLICATE':
                return value === null
                    ? t`${name}: several rows have the same value.`
                    : t`${name}: several rows have the value “${given}”.`;
            case 'SAME_OPTIONS':
                return t`Two variants of a product have the same options.`;
            case 'PICTURE':
                return value === null ? t`A picture cannot be loaded.` : t`The picture ${given} cannot be loaded.`;
            case 'NEGATIVE':
                return value === null ? t`${name}: a negative number.` : t`${name}: ${given} is negative.`;
            case 'DATE':
                return t`${name}: “${given}” is not a date in the expected format.`;
            case 'ROW':
                return t`The row has too many or too few cells.`;
            case 'LANGUAGE':
                return t`${name}: the channel does not have this language.`;
            case 'CURRENCY':
                return t`${name}: the channel does not have this currency.`;
            case 'EMAIL':
                return t`${name}: “${given}” is invalid or is used twice.`;
            case 'SKIPPED':
                return t`Skipped by your decision.`;
            case 'OTHER':
                return name === '' ? t`Rejected for another reason.` : t`${name}: rejected for another reason.`;
        }
    };
}

/** What a remedy does, as the text of its button. */
export function useRemedyText(): (remedy: Remedy, cause?: Pick<ImportCause, 'rows' | 'value'>) => string {
    const { t } = useLingui();
    const fieldOf = useFieldWords();
    return (remedy, cause) => {
        const isOne = cause?.rows === 1;
        switch (remedy.type) {
            case 'SKIP_ROWS':
            case 'SKIP_UNKNOWN':
                return isOne ? t`Skip this row` : t`Skip these rows`;
            case 'USE_FIELD': {
                const from = fieldOf(remedy.from);
                return t`Use the field ${from}`;
            }
            case 'TREAT_AS_ZERO':
                return t`Treat as 0`;
            case 'LEAVE_EMPTY':
                return t`Leave empty`;
            case 'NUMBER_IN_TEXT': {
                const number = firstNumber(cause?.value);
                return number === undefined ? t`Use the number in the text` : t`Use ${number}`;
            }
            case 'DECIMALS':
                return remedy.decimals === 'COMMA' ? t`Read the comma as decimal` : t`Read the point as decimal`;
            case 'CREATE_HIDDEN':
                return isOne ? t`Create it hidden` : t`Create them hidden`;
            case 'CREATE_FACET_VALUES':
                return t`Create missing facet values`;
            case 'CREATE_GROUPS':
                return t`Create missing groups`;
            case 'LOOKUP': {
                const used = Object.values(remedy.values)[0] ?? '';
                return t`Use “${used}”`;
            }
            case 'KEEP_LAST':
                return t`Keep the last row`;
            case 'KEEP_FIRST':
                return t`Keep the first row`;
            case 'SKIP_PICTURES':
                return t`Import without these pictures`;
            case 'DATE_ORDER': {
                const { format } = remedy;
                return t`Read as ${format}`;
            }
        }
    };
}

/** The field that a remedy is about, if it is about one. */
export function fieldOfRemedy(remedy: Remedy): string | undefined {
    return 'field' in remedy ? remedy.field : undefined;
}

function firstNumber(text: string | null | undefined): string | undefined {
    return text?.match(/\d[\d.,]*\d|\d/)?.[0];
}
