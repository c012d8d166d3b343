import { Trans, useLingui } from '@lingui/react/macro';
import { Input } from '@vendure/dashboard';
import { type ReactNode, useEffect, useState } from 'react';
import { type Adapter, formOf, searchCalls, type StepAdapters, usualConfig } from '../catalogue/catalogue';
import { listOf } from '../model/definition';
import { useEditor } from '../state/editor-context';
import { issuesBelow, type PlacedIssue } from '../state/issues';
import { CallItem } from './call-item';
import { moved } from './calls';

interface CallListProps {
    readonly adapters: StepAdapters;
    readonly calls: unknown;
    /** From the beginning of the list. */
    readonly issues: readonly PlacedIssue[];
    /** Undefined for a list within another adapter's settings. */
    readonly stepKey?: string;
    readonly onChange: (calls: readonly unknown[]) => void;
}

const OFFERED = 8;

/** Operators or rules in their order, each folded to one sentence; opened to be set. */
export function CallList({ adapters, calls, issues, stepKey, onChange }: CallListProps): ReactNode {
    const { t } = useLingui();
    const { catalogue, isReadOnly } = useEditor();
    const list = listOf(calls);
    // A step that was made for one operator is about to be set.
    const [open, setOpen] = useState<number | undefined>(list.length === 1 ? 0 : undefined);
    const [dragged, setDragged] = useState<number>();
    const [fresh, setFresh] = useState<number>();
    const sought = issues.find(({ reached }) => reached !== undefined)?.path.split('.')[0];
    useEffect(() => {
        if (sought !== undefined && sought !== '') setOpen(Number(sought));
    }, [sought]);
    const known = catalogue.adapters.filter(({ kind }) => kind === adapters.kind);
    const move = (from: number, to: number): void => {
        if (to < 0 || to >= list.length || from === to) return;
        onChange(moved(list, from, to));
        if (open === from) setOpen(to);
        else if (open !== undefined) setOpen(undefined);
    };
    const add = ({ code, schema }: Adapter): void => {
        setOpen(list.length);
        setFresh(list.length);
        onChange([...list, { [adapters.field]: code, [adapters.value!]: usualConfig(formOf(schema)) }]);
    };
    return (
        <div className="space-y-2">
            <ol className="space-y-1" aria-label={t`In this order`}>
                {list.map((call, i) => (
                    <CallItem
                        key={i}
                        call={call}
                        place={i}
                        count={list.length}
                        adapters={adapters}
                        stepKey={stepKey}
                        issues={issuesBelow(issues, String(i))}
                        isOpen={open === i}
                        isFresh={fresh === i}
                        onToggle={() => setOpen(open === i ? undefined : i)}
                        onMove={to => move(i, to)}
                        onRemove={() => {
                            setOpen(undefined);
                            setFresh(undefined);
                            onChange(list.filter((_, at) => at !== i));
                        }}
                        onChange={changed => onChange(list.map((one, at) => (at === i ? changed : one)))}
                        onDrag={() => setDragged(i)}
                        onDrop={() => dragged !== undefined && move(dragged, i)}
                    />
                ))}
            </ol>
            {list.length === 0 && (
                <p className="text-sm text-muted-foreground">
                    <Trans>No operators yet.</Trans>
                </p>
            )}
            {!isReadOnly && <AddCall adapters={known} onPick={add} />}
        </div>
    );
}

interface AddCallProps {
    readonly adapters: readonly Adapter[];
    readonly onPick: (adapter: Adapter) => void;
}

/** Finds what is to be added; Enter takes the first one. */
function AddCall({ adapters, onPick }: AddCallProps): ReactNode {
    const { t } = useLingui();
    const [text, setText] = useState('');
    const found = searchCalls(adapters, text).slice(0, OFFERED);
    const pick = (adapter: Adapter): void => {
        setText('');
        onPick(adapter);
    };
    return (
        <div className="space-y-1">
            <Input
                type="search"
                aria-label={t`Add a step by its purpose`}
                placeholder={t`Add: trim, price, date …`}
                value={text}
                onChange={({ target }) => setText(target.value)}
                onKeyDown={event => {
                    if (event.key !== 'Enter' || !found[0]) return;
                    event.preventDefault();
                    pick(found[0]);
                }}
            />
            {text.trim() !== '' && (
                <ul className="space-y-px rounded-md border p-1">
                    {found.map(adapter => (
                        <li key={adapter.code}>
                            <button
                                type="button"
                                className="w-full rounded-sm px-2 py-1 text-left text-sm outline-none hover:bg-muted focus-visible:ring-3 focus-visible:ring-ring/50"
                                onClick={() => pick(adapter)}
                            >
                                <span className="font-medium">{adapter.title}</span>{' '}
                                <span className="text-xs text-muted-foreground">
                                    {adapter.summary.replaceAll('`', '')}
                                </span>
                            </button>
                        </li>
                    ))}
                    {found.length === 0 && (
                        <li className="px-2 py-1 text-sm text-muted-foreground">
                            <Trans>No matches.</Trans>
                        </li>
                    )}
                </ul>
            )}
        </div>
    );
}
