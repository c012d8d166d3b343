import { Trans, useLingui } from '@lingui/react/macro';
import { Button } from '@vendure/dashboard';
import { ArrowDownIcon, ArrowUpIcon, PlusIcon, XIcon } from 'lucide-react';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { IconButton } from '../ground/icon-button';
import { type EditorProps, useSchemaForm } from './form-context';
import { kindOf, resolved } from './json-schema';
import { emptyValue, summaryOf } from './values';

/** Entries in an order that can be changed, by buttons. */
export function ListInput({ id, schema, value = [], onChange, path }: EditorProps<readonly unknown[]>): ReactNode {
    const { t } = useLingui();
    const { root, isReadOnly, ValueEditor } = useSchemaForm();
    const items = resolved(schema.items ?? {}, root);
    const keys = useKeys(value.length);
    const isLarge = kindOf(items, root) === 'object';
    const list = useRef<HTMLDivElement>(null);
    const [fresh, setFresh] = useState<number>();
    // What has just been added is about to be filled in.
    useEffect(() => {
        if (fresh === undefined) return;
        const entry = list.current?.querySelector(`:scope > [data-at="${fresh}"]`);
        entry?.querySelector<HTMLElement>('input, select, textarea')?.focus();
        setFresh(undefined);
    }, [fresh]);

    const move = (from: number, to: number): void => {
        const moved = [...value];
        moved.splice(to, 0, ...moved.splice(from, 1));
        keys.splice(to, 0, ...keys.splice(from, 1));
        onChange(moved);
    };
    const remove = (at: number): void => {
        keys.splice(at, 1);
        const rest = value.filter((_, i) => i !== at);
        onChange(rest.length === 0 && (schema.minItems ?? 0) > 0 ? undefined : rest);
    };

    return (
        <div ref={list} className="space-y-2" id={id} role="group">
            {value.map((item, i) => {
                const number = i + 1;
                return (
                    <div
                        key={keys[i]}
                        data-at={i}
                        className={isLarge ? 'rounded-md border p-3 space-y-3' : 'flex items-center gap-1'}
                    >
                        {isLarge && (
                            <p className="text-sm font-medium truncate" translate="no">
                                {number}. {summaryOf(item)}
                            </p>
                        )}
                        <div className="min-w-0 grow">
                            <ValueEditor
                                id={`${id}-${i}`}
                                schema={items}
                                isRequired
                                value={item}
                                path={`${path}.${i}`}
                                label={t`Entry ${number}`}
                                onChange={changed =>
                                    onChange(value.map((one, at) => (at === i ? (changed ?? '') : one)))
                                }
                            />
                        </div>
                        {!isReadOnly && (
                            <div className="flex shrink-0 justify-end">
                                <IconButton
                                    label={t`Move entry ${number} up`}
                                    isOff={i === 0}
                                    onPress={() => move(i, i - 1)}
                                >
                                    <ArrowUpIcon />
                                </IconButton>
                                <IconButton
                                    label={t`Move entry ${number} down`}
                                    isOff={i === value.length - 1}
                                    onPress={() => move(i, i + 1)}
                                >
                                    <ArrowDownIcon />
                                </IconButton>
                                <IconButton label={t`Remove entry ${number}`} onPress={() => remove(i)}>
                                    <XIcon />
                                </IconButton>
                            </div>
                        )}
                    </div>
                );
            })}
            {!isReadOnly && (
                <Button
                    type="button"
                    variant="outline"
                    size="sm"
                    disabled={value.length >= (schema.maxItems ?? Infinity)}
                    onClick={() => {
                        setFresh(value.length);
                        onChange([...value, emptyValue(items, root)]);
                    }}
                >
                    <PlusIcon />
                    <Trans>Add an entry</Trans>
                </Button>
            )}
        </div>
    );
}

/** Keys that stay with their entries when these are moved, so that the cursor stays as well. */
function useKeys(length: number): number[] {
    const keys = useRef<number[]>([]);
    const next = useRef(0);
    while (keys.current.length < length) keys.current.push(next.current++);
    keys.current.length = length;
    return keys.current;
}
