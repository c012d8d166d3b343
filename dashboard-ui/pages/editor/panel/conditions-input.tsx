import { Trans, useLingui } from '@lingui/react/macro';
import { Button, Input, NativeSelect, NativeSelectOption } from '@vendure/dashboard';
import { GroupIcon, PlusIcon, XIcon } from 'lucide-react';
import { createContext, type ReactNode, useContext, useState } from 'react';
import { type EditorProps, useSchemaForm } from '../../../form/form-context';
import { isRecord, type JsonSchema, resolved } from '../../../form/json-schema';
import { IconButton } from '../../../ground/icon-button';
import { useComparisonWords } from './comparison-words';
import { needsValue, typedValue, valueFor, valueText } from './condition-value';
import { PathBox } from './path-input';

/** The comparisons that a condition of this schema can make. */
function comparisonsOf(schema: JsonSchema, root: JsonSchema): readonly string[] {
    const entries = [schema.items ?? schema, ...(schema.anyOf ?? [])].flatMap(one => {
        const inner = resolved(one, root);
        return [inner, ...(inner.anyOf ?? []), ...(inner.items ? [resolved(inner.items, root)] : [])].flatMap(two => {
            const way = resolved(two, root);
            return [way, ...(way.anyOf ?? []).map(three => resolved(three, root))];
        });
    });
    const found = entries.find(entry => entry.properties?.['cmp']?.enum)?.properties?.['cmp']?.enum ?? [];
    return found.map(String);
}

/** What all conditions of a field share. */
interface ConditionsShared {
    readonly comparisons: readonly string[];
    /** Whether there is an error at a place within the field. */
    readonly isWrong: (at: string) => boolean;
}

const Shared = createContext<ConditionsShared>({ comparisons: [], isWrong: () => false });

/** Conditions as rows: all of them must be met; within them groups of which all, any or none must be. */
export function ConditionsInput({ id, schema, value, onChange, isRequired, path }: EditorProps): ReactNode {
    const { root, issues } = useSchemaForm();
    const comparisons = comparisonsOf(schema, root);
    const isSingle = isRecord(value);
    const list = Array.isArray(value) ? (value as readonly unknown[]) : isSingle ? [value] : [];
    const isWrong = (at: string): boolean =>
        issues.some(issue => issue.severity === 'ERROR' && issue.path === join(path, at));
    return (
        <Shared.Provider value={{ comparisons, isWrong }}>
            <div id={id} role="group" className="space-y-2">
                <ConditionList
                    placeOf={index => (isSingle ? '' : String(index))}
                    list={list}
                    onChange={changed => {
                        if (isSingle && changed.length === 1) onChange(changed[0]);
                        else onChange(changed.length === 0 && !isRequired ? undefined : changed);
                    }}
                />
            </div>
        </Shared.Provider>
    );
}

function join(...places: ReadonlyArray<string | number>): string {
    return places.filter(place => place !== '').join('.');
}

interface ConditionListProps {
    /** The dotted path of a member, from the start of the field. */
    readonly placeOf: (index: number) => string;
    readonly list: readonly unknown[];
    /** It has just been added, and is about to be filled in. */
    readonly isFresh?: boolean;
    readonly onChange: (list: readonly unknown[]) => void;
}

function ConditionList({ placeOf, list, isFresh, onChange }: ConditionListProps): ReactNode {
    const { isReadOnly } = useSchemaForm();
    const { comparisons } = useContext(Shared);
    const [fresh, setFresh] = useState(isFresh ? 0 : undefined);
    const add = (one: unknown): void => {
        setFresh(list.length);
        onChange([...list, one]);
    };
    const first = { field: '', cmp: comparisons[0] ?? 'eq' };
    return (
        <>
            {list.map((one, i) => (
                <OneCondition
                    key={i}
                    at={placeOf(i)}
                    value={one}
                    isFresh={i === fresh}
                    onChange={changed => onChange(list.map((other, at) => (at === i ? changed : other)))}
                    onRemove={() => onChange(list.filter((_, at) => at !== i))}
                />
            ))}
            {!isReadOnly && (
                <div className="flex flex-wrap gap-2">
                    <Button type="button" size="sm" variant="outline" onClick={() => add(first)}>
                        <PlusIcon aria-hidden />
                        <Trans>Condition</Trans>
                    </Button>
                    <Button type="button" size="sm" variant="ghost" onClick={() => add({ any: [first] })}>
                        <GroupIcon aria-hidden />
                        <Trans>Group</Trans>
                    </Button>
                </div>
            )}
        </>
    );
}

interface OneConditionProps {
    readonly at: string;
    readonly value: unknown;
    readonly isFresh: boolean;
    readonly onChange: (value: unknown) => void;
    readonly onRemove: () => void;
}

function OneCondition(props: OneConditionProps): ReactNode {
    const { value } = props;
    if (isRecord(value)) {
        const keys = Object.keys(value);
        const [only] = keys;
        if (keys.length === 1 && (only === 'all' || only === 'any' || only === 'not'))
            return <Group {...props} way={only} inner={value[only]} />;
        if ('field' in value || keys.length === 0) return <Comparison {...props} value={value} />;
    }
    return <Other {...props} />;
}

interface GroupProps extends OneConditionProps {
    readonly way: 'all' | 'any' | 'not';
    readonly inner: unknown;
}

/** "Not" holds one condition; several in it are all meant. */
function Group({ at, way, inner, isFresh, onChange, onRemove }: GroupProps): ReactNode {
    const { t } = useLingui();
    const { isReadOnly } = useSchemaForm();
    const list = membersOf(way, inner);
    const write = (next: 'all' | 'any' | 'not', members: readonly unknown[]): void => {
        if (members.length === 0) onRemove();
        else
            onChange(
                next === 'not' ? { not: members.length === 1 ? members[0] : { all: members } } : { [next]: members },
            );
    };
    return (
        <div data-at={at} className="space-y-2 rounded-md border p-2">
            <div className="flex items-center gap-1">
                <NativeSelect
                    aria-label={t`Conditions to meet`}
                    value={way}
                    disabled={isReadOnly}
                    onChange={({ target }) => write(target.value as 'all' | 'any' | 'not', list)}
                >
                    <NativeSelectOption value="any">{t`any of these`}</NativeSelectOption>
                    <NativeSelectOption value="all">{t`all of these`}</NativeSelectOption>
                    <NativeSelectOption value="not">{t`not all of these`}</NativeSelectOption>
                </NativeSelect>
                {!isReadOnly && (
                    <span className="ml-auto">
                        <IconButton label={t`Remove the group`} onPress={onRemove}>
                            <XIcon />
                        </IconButton>
                    </span>
                )}
            </div>
            <ConditionList
                placeOf={index => {
                    if (way !== 'not') return join(at, way, index);
                    return list.length === 1 && list[0] === inner ? join(at, way) : join(at, way, 'all', index);
                }}
                list={list}
                isFresh={isFresh}
                onChange={members => write(way, members)}
            />
        </div>
    );
}

function membersOf(way: 'all' | 'any' | 'not', inner: unknown): readonly unknown[] {
    if (way !== 'not') return Array.isArray(inner) ? (inner as readonly unknown[]) : [];
    const all = isRecord(inner) && Object.keys(inner).length === 1 ? inner['all'] : undefined;
    return Array.isArray(all) ? (all as readonly unknown[]) : [inner];
}

function Comparison({
    at,
    value,
    isFresh,
    onChange,
    onRemove,
}: OneConditionProps & { readonly value: Readonly<Record<string, unknown>> }): ReactNode {
    const { t } = useLingui();
    const { isReadOnly } = useSchemaForm();
    const field = typeof value['field'] === 'string' ? value['field'] : '';
    const cmp = typeof value['cmp'] === 'string' ? value['cmp'] : 'eq';
    const [typed, setTyped] = useState<string>();
    const wordOf = useComparisonWords();
    const { comparisons, isWrong } = useContext(Shared);
    const change = (changes: Readonly<Record<string, unknown>>): void => {
        const changed = { ...value, ...changes };
        onChange(Object.fromEntries(Object.entries(changed).filter(([, one]) => one !== undefined)));
    };
    return (
        <div data-at={at} className="grid grid-cols-[minmax(0,1fr)_auto] gap-1 rounded-md border p-2">
            <PathBox
                label={t`Field`}
                value={field}
                isReadOnly={isReadOnly}
                isInvalid={isWrong(join(at, 'field'))}
                isFresh={isFresh}
                onChange={next => change({ field: next })}
            />
            {isReadOnly ? (
                <span />
            ) : (
                <IconButton label={t`Remove the condition`} onPress={onRemove}>
                    <XIcon />
                </IconButton>
            )}
            <div className="col-span-2 flex gap-1">
                <NativeSelect
                    aria-label={t`Comparison`}
                    className="w-40 shrink-0"
                    value={cmp}
                    disabled={isReadOnly}
                    onChange={({ target }) =>
                        change({
                            cmp: target.value,
                            value: valueFor(target.value, { value: value['value'], before: cmp }),
                        })
                    }
                >
                    {!comparisons.includes(cmp) && <NativeSelectOption value={cmp}>{cmp}</NativeSelectOption>}
                    {comparisons.map(one => (
                        <NativeSelectOption key={one} value={one}>
                            {wordOf(one)}
                        </NativeSelectOption>
                    ))}
                </NativeSelect>
                {needsValue(cmp) && (
                    <Input
                        aria-label={t`Value`}
                        aria-invalid={isWrong(join(at, 'value'))}
                        data-at={join(at, 'value')}
                        translate="no"
                        readOnly={isReadOnly}
                        value={typed ?? valueText(value['value'], cmp)}
                        onChange={({ target }) => {
                            setTyped(target.value);
                            change({ value: typedValue(target.value, cmp) });
                        }}
                        onBlur={() => setTyped(undefined)}
                    />
                )}
            </div>
        </div>
    );
}

/** A condition of an unknown shape is kept, and edited as JSON. */
function Other({ at, value, onChange, onRemove }: OneConditionProps): ReactNode {
    const { t } = useLingui();
    const { ValueEditor, isReadOnly } = useSchemaForm();
    return (
        <div data-at={at} className="flex items-start gap-1 rounded-md border p-2">
            <div className="min-w-0 grow">
                <ValueEditor
                    id="flow-condition"
                    schema={{ widget: 'json' }}
                    isRequired
                    value={value}
                    onChange={onChange}
                    path=""
                    label={t`Condition as JSON`}
                />
            </div>
            {!isReadOnly && (
                <IconButton label={t`Remove the condition`} onPress={onRemove}>
                    <XIcon />
                </IconButton>
            )}
        </div>
    );
}
