import { useLingui } from '@lingui/react/macro';
import { useDisplayLocale } from '@vendure/dashboard';
import { DECIMAL_EXAMPLES, KNOWN_EXPORT_NAMES } from '../import-words';
import type { FieldSuggestion } from '../import.graphql';
import type { Conversion, ImportPlan } from '../import-plan';

/** A conversion as the text of its chip. */
export function useConversionText(): (conversion: Conversion) => string {
    const { t } = useLingui();
    return conversion => {
        switch (conversion.type) {
            case 'TRIM':
                return t({ message: 'Trimmed', context: 'flow conversion' });
            case 'REMOVE_TEXT': {
                const { text } = conversion;
                return t`${text} removed`;
            }
            case 'DASH_DECIMALS':
                return t`Reads 12,– as 12`;
            case 'NUMBER':
                return conversion.decimals === 'COMMA' ? t`Comma decimals` : t`Point decimals`;
            case 'NUMBER_IN_TEXT':
                return t`Number in the text`;
            case 'TO_CENTS':
                return t`Amount of money`;
            case 'REMOVE_TAX': {
                const { percent } = conversion;
                return t`${percent} % tax removed`;
            }
            case 'ADD_TAX': {
                const { percent } = conversion;
                return t`${percent} % tax added`;
            }
            case 'STRIP_HTML':
                return t`Formatting removed`;
            case 'SPLIT': {
                const { separator } = conversion;
                return t`Split at ${separator}`;
            }
            case 'BOOLEAN': {
                const [yes, no] = [conversion.yes[0] ?? 'yes', conversion.no[0] ?? 'no'];
                return t`${yes}/${no} to on/off`;
            }
            case 'DATE': {
                const { format } = conversion;
                return t`Date as ${format}`;
            }
            case 'UNIT': {
                const { from, to } = conversion;
                return t`${from} to ${to}`;
            }
            case 'EMPTY_WORDS': {
                const words = conversion.words.join(' ');
                return t`${words} means empty`;
            }
            case 'LOOKUP':
                return t`Values replaced`;
            case 'DEFAULT': {
                const value = String(conversion.value);
                return t`If empty: ${value}`;
            }
            case 'NEGATIVE_TO_ZERO':
                return t`Negative to 0`;
            case 'SLUGIFY':
                return t`As URL slug`;
        }
    };
}

/** Conversions that a user can add to a field of texts. */
export function useAddedConversions(): ReadonlyArray<{ readonly text: string; readonly conversion: Conversion }> {
    const { t } = useLingui();
    return [
        { text: t`Remove blanks at both ends`, conversion: { type: 'TRIM' } },
        {
            text: t`Number with decimals like ${DECIMAL_EXAMPLES.COMMA}`,
            conversion: { type: 'NUMBER', decimals: 'COMMA' },
        },
        {
            text: t`Number with decimals like ${DECIMAL_EXAMPLES.POINT}`,
            conversion: { type: 'NUMBER', decimals: 'POINT' },
        },
        { text: t`Only the number in the text`, conversion: { type: 'NUMBER_IN_TEXT' } },
        { text: t`Amount of money in the smallest unit`, conversion: { type: 'TO_CENTS' } },
        { text: t`Negative numbers to 0`, conversion: { type: 'NEGATIVE_TO_ZERO' } },
        { text: t`Remove HTML formatting`, conversion: { type: 'STRIP_HTML' } },
        { text: t`Split at commas`, conversion: { type: 'SPLIT', separator: ',' } },
        { text: t`Split at |`, conversion: { type: 'SPLIT', separator: '|' } },
        { text: t`Make a URL slug`, conversion: { type: 'SLUGIFY' } },
    ];
}

/** Why a column was chosen, in a sentence. */
export function useReasonText(): (suggestion: FieldSuggestion) => string {
    const { t } = useLingui();
    const { bcp47Tag } = useDisplayLocale();
    return ({ reasonCode, reasonArgs }) => {
        const args = (reasonArgs ?? {}) as Readonly<Record<string, unknown>>;
        const word = String(args['word'] ?? '');
        switch (reasonCode) {
            case 'EXACT':
                return t`The column has the name of the field.`;
            case 'SYNONYM':
                return t`“${word}” is a known name for this field.`;
            case 'PART':
                return t`The column’s name contains “${word}”.`;
            case 'SIMILAR':
                return t`The column’s name is similar to “${word}”.`;
            case 'VALUES':
                return t`The values fit this field.`;
            case 'SHOP': {
                const share = Number(args['share'] ?? 0).toLocaleString(bcp47Tag, { style: 'percent' });
                return t`${share} of the values exist in the shop.`;
            }
            case 'LEARNED':
                return t`You mapped this column like this before.`;
            case 'KNOWN_EXPORT': {
                const code = String(args['export'] ?? '');
                const system = KNOWN_EXPORT_NAMES[code] ?? code;
                return t`Every ${system} export has this column.`;
            }
            case 'ONLY_CANDIDATE':
                return t`No other column fits.`;
            case 'NONE':
                return t`No column fits.`;
            default:
                return t`You chose this column.`;
        }
    };
}

/** What happens to entities that are missing from the file. */
export function useMissingWords(): Readonly<Record<ImportPlan['missing']['action'], string>> {
    const { t } = useLingui();
    return {
        NONE: t`Leave as they are`,
        DISABLE: t({ message: 'Disable', context: 'flow missing' }),
        STOCK_ZERO: t`Set stock to 0`,
        DELETE: t({ message: 'Delete', context: 'flow missing' }),
    };
}
