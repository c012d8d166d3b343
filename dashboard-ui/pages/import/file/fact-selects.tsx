import { Trans, useLingui } from '@lingui/react/macro';
import { Label, NativeSelect, NativeSelectOptGroup, NativeSelectOption } from '@vendure/dashboard';
import { type ReactNode, useId } from 'react';
import { useDisplayLocale } from '@vendure/dashboard';
import type { FileProfile } from '../import.graphql';
import { DECIMAL_EXAMPLES, encodingName, useFormatWords, useSeparatorWords } from '../import-words';
import type { DecimalStyle, ImportFormat } from '../import-plan';
import { type FactChange, headerRowChoices, isTable, titleOf } from './file-facts';

const TEXT_FORMATS: readonly ImportFormat[] = ['CSV', 'JSON', 'NDJSON', 'XML'];
const ENCODINGS = [
    'utf-8',
    'windows-1252',
    'iso-8859-15',
    'windows-1250',
    'iso-8859-2',
    'macintosh',
    'ibm850',
    'utf-16le',
    'utf-16be',
];
const SEPARATORS = [',', ';', '\t', '|'];
const NO_NAMES = 'none';
const MAX_TITLE = 80;

interface FactSelectsProps {
    readonly profile: FileProfile;
    readonly isDisabled: boolean;
    readonly onChange: (change: FactChange) => void;
}

/** How the file is read: each fact is a choice that shows what was detected. */
export function FactSelects(props: FactSelectsProps): ReactNode {
    const { format } = props.profile.facts;
    return (
        <div className="space-y-2">
            <div className="grid grid-cols-2 gap-3 md:flex md:flex-wrap">
                {format !== 'XLSX' && <FormatSelect {...props} />}
                {format === 'XLSX' && <SheetSelect {...props} />}
                {props.profile.facts.encoding !== null && <EncodingSelect {...props} />}
                {format === 'CSV' && <SeparatorSelect {...props} />}
                {!isTable(format) && <RecordsSelect {...props} />}
                <DecimalsSelect {...props} />
                {isTable(format) && <HeaderSelect {...props} />}
            </div>
            <TitleNote profile={props.profile} />
        </div>
    );
}

interface FactSelectProps {
    readonly label: ReactNode;
    readonly value: string;
    readonly isDisabled: boolean;
    readonly onChoose: (value: string) => void;
    readonly children: ReactNode;
}

function FactSelect({ label, value, isDisabled, onChoose, children }: FactSelectProps): ReactNode {
    const id = useId();
    return (
        <div className="min-w-0 space-y-1">
            <Label htmlFor={id} className="text-xs text-muted-foreground">
                {label}
            </Label>
            <NativeSelect
                id={id}
                className="max-md:w-full max-md:[&_select]:h-11"
                value={value}
                disabled={isDisabled}
                onChange={({ target }) => onChoose(target.value)}
            >
                {children}
            </NativeSelect>
        </div>
    );
}

function FormatSelect({ profile, isDisabled, onChange }: FactSelectsProps): ReactNode {
    const words = useFormatWords();
    return (
        <FactSelect
            label={<Trans>Format</Trans>}
            value={profile.facts.format}
            isDisabled={isDisabled}
            onChoose={format => onChange({ format: format as ImportFormat })}
        >
            {TEXT_FORMATS.map(format => (
                <NativeSelectOption key={format} value={format}>
                    {words[format]}
                </NativeSelectOption>
            ))}
        </FactSelect>
    );
}

function EncodingSelect({ profile, isDisabled, onChange }: FactSelectsProps): ReactNode {
    const { t } = useLingui();
    const { facts, alternatives } = profile;
    const likely = [...new Set([facts.encoding ?? 'utf-8', ...alternatives.encodings])];
    const others = ENCODINGS.filter(encoding => !likely.includes(encoding));
    const options = (encodings: readonly string[]): ReactNode =>
        encodings.map(encoding => (
            <NativeSelectOption key={encoding} value={encoding}>
                {encodingName(encoding)}
            </NativeSelectOption>
        ));
    return (
        <FactSelect
            label={<Trans>Encoding</Trans>}
            value={facts.encoding ?? 'utf-8'}
            isDisabled={isDisabled}
            onChoose={encoding => onChange({ encoding })}
        >
            {options(likely)}
            <NativeSelectOptGroup label={t`Other encodings`}>{options(others)}</NativeSelectOptGroup>
        </FactSelect>
    );
}

function SeparatorSelect({ profile, isDisabled, onChange }: FactSelectsProps): ReactNode {
    const nameOf = useSeparatorWords();
    const { facts, alternatives } = profile;
    const separators = [...new Set([facts.delimiter ?? ',', ...alternatives.delimiters, ...SEPARATORS])];
    return (
        <FactSelect
            label={<Trans>Separator</Trans>}
            value={facts.delimiter ?? ','}
            isDisabled={isDisabled}
            onChoose={delimiter => onChange({ delimiter })}
        >
            {separators.map(separator => (
                <NativeSelectOption key={separator} value={separator}>
                    {nameOf(separator)}
                </NativeSelectOption>
            ))}
        </FactSelect>
    );
}

function DecimalsSelect({ profile, isDisabled, onChange }: FactSelectsProps): ReactNode {
    return (
        <FactSelect
            label={<Trans>Decimals</Trans>}
            value={profile.facts.decimals}
            isDisabled={isDisabled}
            onChoose={decimals => onChange({ decimals: decimals as DecimalStyle })}
        >
            {(Object.keys(DECIMAL_EXAMPLES) as DecimalStyle[]).map(style => (
                <NativeSelectOption key={style} value={style}>
                    {DECIMAL_EXAMPLES[style]}
                </NativeSelectOption>
            ))}
        </FactSelect>
    );
}

function HeaderSelect({ profile, isDisabled, onChange }: FactSelectsProps): ReactNode {
    const { t } = useLingui();
    const { headerRow } = profile.facts;
    return (
        <FactSelect
            label={<Trans>Column names</Trans>}
            value={headerRow === null ? NO_NAMES : String(headerRow)}
            isDisabled={isDisabled}
            onChoose={row => onChange({ headerRow: row === NO_NAMES ? null : Number(row) })}
        >
            {headerRowChoices(profile).map(row => (
                <NativeSelectOption key={row} value={String(row)}>
                    {t`in row ${row}`}
                </NativeSelectOption>
            ))}
            <NativeSelectOption value={NO_NAMES}>{t`no column names`}</NativeSelectOption>
        </FactSelect>
    );
}

function SheetSelect({ profile, isDisabled, onChange }: FactSelectsProps): ReactNode {
    const { t } = useLingui();
    const { bcp47Tag } = useDisplayLocale();
    const options = (isHidden: boolean): ReactNode =>
        profile.sheets
            .filter(sheet => sheet.isHidden === isHidden)
            .map(({ name, rows }) => {
                const count = rows.toLocaleString(bcp47Tag);
                return (
                    <NativeSelectOption key={name} value={name}>
                        {t`${name} · ${count} rows`}
                    </NativeSelectOption>
                );
            });
    return (
        <FactSelect
            label={<Trans>Sheet</Trans>}
            value={profile.facts.sheet ?? ''}
            isDisabled={isDisabled}
            onChoose={sheet => onChange({ sheet })}
        >
            {options(false)}
            {profile.sheets.some(({ isHidden }) => isHidden) && (
                <NativeSelectOptGroup label={t`Hidden sheets`}>{options(true)}</NativeSelectOptGroup>
            )}
        </FactSelect>
    );
}

function RecordsSelect({ profile, isDisabled, onChange }: FactSelectsProps): ReactNode {
    const { t } = useLingui();
    const { facts, alternatives } = profile;
    const paths = [...new Set([facts.recordPath ?? '', ...alternatives.recordPaths])];
    return (
        <FactSelect
            label={<Trans>Records at</Trans>}
            value={facts.recordPath ?? ''}
            isDisabled={isDisabled || paths.length === 1}
            onChoose={recordPath => onChange({ recordPath })}
        >
            {paths.map(path => (
                <NativeSelectOption key={path} value={path}>
                    {path === '' ? t`the whole file` : path}
                </NativeSelectOption>
            ))}
        </FactSelect>
    );
}

/** What is above the names of columns and is not imported. */
function TitleNote({ profile }: { readonly profile: FileProfile }): ReactNode {
    const title = titleOf(profile);
    if (title === '') return null;
    const shown = title.length > MAX_TITLE ? `${title.slice(0, MAX_TITLE)}…` : title;
    return (
        <p className="text-sm text-muted-foreground">
            <Trans>
                Above the column names: “<span translate="no">{shown}</span>”. It is not imported.
            </Trans>
        </p>
    );
}
