import { Trans, useLingui } from '@lingui/react/macro';
import { Button, FieldError, Input } from '@vendure/dashboard';
import { PlusIcon, XIcon } from 'lucide-react';
import { type ReactNode, useEffect, useId, useRef, useState } from 'react';
import { type EditorProps, useSchemaForm } from '../../../form/form-context';
import { isRecord } from '../../../form/json-schema';
import { IconButton } from '../../../ground/icon-button';
import { lastOf } from '../../../parts/record-fields';
import { typedValue, valueText } from './condition-value';
import { PathBox } from './path-input';
import { useSamplePaths } from './sample-paths-context';
import { type TargetPath, useTargetPaths } from './target-paths';

type Row = readonly [target: string, source: unknown];

/** Target ← source, row by row. Sample columns that no row uses are offered; a click adds a row for one. */
export function MappingInput({ id, schema, value, onChange, isRequired }: EditorProps): ReactNode {
    const { t } = useLingui();
    const { isReadOnly } = useSchemaForm();
    const inner = typeof schema.additionalProperties === 'object' ? schema.additionalProperties : {};
    const takesPaths = inner.type === 'string';
    const [rows, setRows] = useState<readonly Row[]>(() => rowsOf(value));
    const [fresh, setFresh] = useState<number>();
    const list = useId();
    const taken = new Set(rows.map(([target]) => target));
    const offered = useTargetPaths().filter(({ path }) => !taken.has(path));
    const sent = useRef(value);
    // The value was changed from outside, for example by undo or another version.
    useEffect(() => {
        if (JSON.stringify(value) === JSON.stringify(sent.current)) return;
        sent.current = value;
        setRows(rowsOf(value));
    }, [value]);
    const change = (changed: readonly Row[]): void => {
        setRows(changed);
        const first = changed.filter(([key], i) => key !== '' && changed.findIndex(([other]) => other === key) === i);
        sent.current = first.length === 0 && !isRequired ? undefined : Object.fromEntries(first);
        onChange(sent.current);
    };
    return (
        <div id={id} role="group" className="space-y-2">
            <datalist id={list}>
                {offered.map(({ path, about }) => (
                    <option key={path} value={path}>
                        {about}
                    </option>
                ))}
            </datalist>
            {rows.map(([target, source], i) => {
                const number = i + 1;
                const set = (row: Row): void => change(rows.map((one, at) => (at === i ? row : one)));
                const isTwice = target !== '' && rows.findIndex(([other]) => other === target) < i;
                return (
                    <div key={i} data-at={target}>
                        <div className="flex items-center gap-1">
                            <Input
                                autoFocus={i === fresh}
                                list={offered.length > 0 ? list : undefined}
                                aria-label={t`Target ${number}`}
                                aria-invalid={isTwice}
                                autoComplete="off"
                                translate="no"
                                value={target}
                                readOnly={isReadOnly}
                                onChange={event => set([event.target.value, source])}
                            />
                            <span aria-hidden className="text-muted-foreground">
                                ←
                            </span>
                            {takesPaths && typeof source === 'string' ? (
                                <PathBox
                                    label={t`Source ${number}`}
                                    value={source}
                                    isReadOnly={isReadOnly}
                                    onChange={next => set([target, next])}
                                />
                            ) : (
                                <ValueBox
                                    label={t`Source ${number}`}
                                    value={source}
                                    isReadOnly={isReadOnly}
                                    onChange={next => set([target, next])}
                                />
                            )}
                            {!isReadOnly && (
                                <IconButton
                                    label={t`Remove row ${number}`}
                                    onPress={() => change(rows.filter((_, at) => at !== i))}
                                >
                                    <XIcon />
                                </IconButton>
                            )}
                        </div>
                        {isTwice && (
                            <FieldError>
                                <Trans>Another row already uses this target. This row is not saved.</Trans>
                            </FieldError>
                        )}
                    </div>
                );
            })}
            {!isReadOnly && (
                <Button
                    type="button"
                    size="sm"
                    variant="outline"
                    onClick={() => {
                        setFresh(rows.length);
                        setRows([...rows, ['', takesPaths ? '' : null]]);
                    }}
                >
                    <PlusIcon aria-hidden />
                    <Trans>Add a row</Trans>
                </Button>
            )}
            {takesPaths && !isReadOnly && (
                <FreeColumns
                    taken={rows.map(([, source]) => source)}
                    onTake={path => change([...rows, [targetFor(path, rows, offered), path]])}
                />
            )}
        </div>
    );
}

function FreeColumns({
    taken,
    onTake,
}: {
    readonly taken: readonly unknown[];
    readonly onTake: (path: string) => void;
}): ReactNode {
    const free = useSamplePaths().filter(({ path, isMade }) => !isMade && !taken.includes(path));
    if (free.length === 0) return null;
    return (
        <div className="space-y-1">
            <p className="text-xs text-muted-foreground">
                <Trans>Sample fields not used yet:</Trans>
            </p>
            <div className="flex flex-wrap gap-1" translate="no">
                {free.map(({ path, example }) => (
                    <Button
                        key={path}
                        type="button"
                        size="xs"
                        variant="outline"
                        title={example}
                        onClick={() => onTake(path)}
                    >
                        <PlusIcon aria-hidden />
                        {path}
                    </Button>
                ))}
            </div>
        </div>
    );
}

interface ValueBoxProps {
    readonly label: string;
    readonly value: unknown;
    readonly isReadOnly: boolean;
    readonly onChange: (value: unknown) => void;
}

/** Any value in one line: numbers, true, false, null and JSON are themselves, all else is text. */
function ValueBox({ label, value, isReadOnly, onChange }: ValueBoxProps): ReactNode {
    const [typed, setTyped] = useState<string>();
    return (
        <Input
            aria-label={label}
            translate="no"
            value={typed ?? (value === null ? '' : valueText(value, 'eq'))}
            placeholder={value === null ? 'null' : undefined}
            readOnly={isReadOnly}
            onChange={({ target }) => {
                setTyped(target.value);
                onChange(typedValue(target.value, 'eq') ?? null);
            }}
            onBlur={() => setTyped(undefined)}
        />
    );
}

/** The field of the load step that is called like the column, whatever the case and signs; otherwise the column's name; its path if that is taken. */
function targetFor(path: string, rows: readonly Row[], offered: readonly TargetPath[]): string {
    const name = lastOf(path);
    const meant = offered.find(({ path: target }) => isAlike(target, name))?.path ?? name;
    return rows.some(([target]) => target === meant) ? path : meant;
}

function isAlike(one: string, other: string): boolean {
    const plain = (text: string): string => text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');
    return plain(one) === plain(other);
}

function rowsOf(value: unknown): readonly Row[] {
    return isRecord(value) ? Object.entries(value) : [];
}
