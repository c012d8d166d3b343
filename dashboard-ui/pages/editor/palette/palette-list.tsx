import { Trans, useLingui } from '@lingui/react/macro';
import { Input } from '@vendure/dashboard';
import { type ReactNode, useDeferredValue, useMemo, useState } from 'react';
import { type PaletteEntry, searchPalette } from '../catalogue/catalogue';
import { AdapterIcon } from '../../../parts/adapter-icon';
import { KindIcon } from '../catalogue/kind-icon';
import { useKindWords } from '../../../parts/kind-words';
import { grouped } from '../model/grouped';
import { DRAGGED } from './palette-state';

interface PaletteListProps {
    readonly entries: readonly PaletteEntry[];
    readonly onPick: (entry: PaletteEntry) => void;
    readonly isFocused?: boolean;
}

const MAX_FOUND = 40;

/** Everything that can be added, by kind and category; found by what it is called and what it does. */
export function PaletteList({ entries, onPick, isFocused = false }: PaletteListProps): ReactNode {
    const { t } = useLingui();
    const [text, setText] = useState('');
    const wanted = useDeferredValue(text);
    const found = useMemo(() => searchPalette(entries, wanted), [entries, wanted]);
    const isSearched = wanted.trim() !== '';
    return (
        <div className="flex min-h-0 flex-col gap-3">
            <Input
                type="search"
                autoFocus={isFocused}
                aria-label={t`Search for a step`}
                placeholder={t`Search: price, csv, slug …`}
                value={text}
                onChange={({ target }) => setText(target.value)}
                onKeyDown={event => {
                    const [first] = searchPalette(entries, text);
                    if (event.key !== 'Enter' || text.trim() === '' || !first) return;
                    event.preventDefault();
                    setText('');
                    onPick(first);
                }}
            />
            <div className="min-h-0 overflow-y-auto pr-1" tabIndex={-1}>
                {isSearched ? (
                    <>
                        <EntryList entries={found.slice(0, MAX_FOUND)} onPick={onPick} />
                        {found.length === 0 && (
                            <p className="text-sm text-muted-foreground">
                                <Trans>No matches.</Trans>
                            </p>
                        )}
                    </>
                ) : (
                    <Groups entries={entries} onPick={onPick} />
                )}
            </div>
        </div>
    );
}

function Groups({ entries, onPick }: Omit<PaletteListProps, 'isFocused'>): ReactNode {
    const wordOf = useKindWords();
    const plain = entries.filter(({ adapter }) => adapter === undefined);
    const kinds = useMemo(
        () => [
            ...grouped(
                entries.filter(one => one.adapter),
                one => one.kind.kind,
            ),
        ],
        [entries],
    );
    return (
        <div className="space-y-3">
            <EntryList entries={plain} onPick={onPick} />
            {kinds.map(([kind, ofKind]) => (
                <details key={kind} className="group rounded-md border">
                    <summary className="flex min-h-9 cursor-pointer items-center gap-2 px-2 text-sm font-medium">
                        <KindIcon kind={kind} className="size-4 text-muted-foreground" />
                        {wordOf(kind)}
                        <span className="ml-auto text-xs font-normal text-muted-foreground">{ofKind.length}</span>
                    </summary>
                    <div className="space-y-2 p-1">
                        {[...grouped(ofKind, ({ adapter }) => adapter?.category ?? '')].map(([category, some]) => (
                            <div key={category}>
                                {category !== '' && (
                                    <p className="px-2 pt-1 text-xs text-muted-foreground">{category}</p>
                                )}
                                <EntryList entries={some} onPick={onPick} />
                            </div>
                        ))}
                    </div>
                </details>
            ))}
        </div>
    );
}

function EntryList({ entries, onPick }: Omit<PaletteListProps, 'isFocused'>): ReactNode {
    const wordOf = useKindWords();
    return (
        <ul className="space-y-px">
            {entries.map(entry => {
                const { id, kind, adapter } = entry;
                return (
                    <li key={id}>
                        <button
                            type="button"
                            draggable
                            className="flex w-full gap-2 rounded-md px-2 py-1.5 text-left text-sm hover:bg-muted focus-visible:ring-3 focus-visible:ring-ring/50 outline-none"
                            onClick={() => onPick(entry)}
                            onDragStart={({ dataTransfer }) => {
                                dataTransfer.setData(DRAGGED, id);
                                dataTransfer.effectAllowed = 'copy';
                            }}
                        >
                            <AdapterIcon
                                name={adapter?.icon}
                                className="mt-0.5 size-4 shrink-0 text-muted-foreground"
                                fallback={
                                    <KindIcon
                                        kind={kind.kind}
                                        className="mt-0.5 size-4 shrink-0 text-muted-foreground"
                                    />
                                }
                            />
                            <span className="min-w-0">
                                <span className="block font-medium">{adapter?.title ?? wordOf(kind.kind)}</span>
                                <span className="line-clamp-2 text-xs text-muted-foreground">
                                    {(adapter?.summary ?? kind.summary).replaceAll('`', '')}
                                </span>
                            </span>
                        </button>
                    </li>
                );
            })}
        </ul>
    );
}
