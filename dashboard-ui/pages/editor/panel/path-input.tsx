import { Trans, useLingui } from '@lingui/react/macro';
import { Button, FieldDescription, Input } from '@vendure/dashboard';
import { PlusIcon, XIcon } from 'lucide-react';
import { type ReactNode, useId, useRef } from 'react';
import { type EditorProps, useSchemaForm } from '../../../form/form-context';
import { textValue } from '../../../form/values';
import { IconButton } from '../../../ground/icon-button';
import { isKnownPath, meantPath } from '../state/sample-paths';
import { useSamplePaths } from './sample-paths-context';
import { useTargetPaths } from './target-paths';

interface PathBoxProps {
    readonly label?: string;
    readonly id?: string;
    readonly value: string;
    readonly isReadOnly: boolean;
    readonly isInvalid?: boolean;
    readonly describedBy?: string | undefined;
    readonly placeholder?: string | undefined;
    /** It has just been added, and takes the cursor. */
    readonly isFresh?: boolean;
    /** Whether it is written, so that what the next load step reads is offered first. */
    readonly isTarget?: boolean;
    readonly onChange: (value: string) => void;
}

/** A path, chosen among those that sample records have, or typed. */
export function PathBox({
    label,
    id,
    value,
    isReadOnly,
    isInvalid = false,
    describedBy,
    placeholder,
    isFresh = false,
    isTarget = false,
    onChange,
}: PathBoxProps): ReactNode {
    const paths = useSamplePaths();
    const allTargets = useTargetPaths();
    const targets = isTarget ? allTargets : [];
    const isOffered = paths.length + targets.length > 0;
    const known = new Set(targets.map(({ path }) => path));
    const list = useId();
    const hadCursor = useRef(false);
    return (
        <>
            <Input
                // The first press chooses all of it, as the tab key does: another path takes its place, and all are offered.
                onPointerDown={({ currentTarget }) =>
                    void (hadCursor.current = currentTarget === document.activeElement)
                }
                onClick={({ currentTarget }) => !hadCursor.current && currentTarget.select()}
                autoFocus={isFresh}
                id={id}
                list={isOffered ? list : undefined}
                aria-label={label}
                aria-invalid={isInvalid}
                aria-describedby={describedBy}
                translate="no"
                autoComplete="off"
                spellCheck={false}
                readOnly={isReadOnly}
                placeholder={placeholder}
                value={value}
                onChange={({ target }) => onChange(target.value)}
            />
            {isOffered && (
                <datalist id={list}>
                    {targets.map(({ path, about }) => (
                        <option key={path} value={path}>
                            {about}
                        </option>
                    ))}
                    {paths
                        .filter(({ path }) => !known.has(path))
                        .map(({ path, example, type, filled }) => (
                            <option key={path} value={path}>
                                {`${type} ${example} · ${Math.round(filled * 100)} %`}
                            </option>
                        ))}
                </datalist>
            )}
        </>
    );
}

/** One path, or a list of them. One that the samples do not have is taken all the same, with a word about it. */
export function PathInput(props: EditorProps): ReactNode {
    const { schema, value, isRequired, onChange, id, isInvalid, describedBy } = props;
    const { isReadOnly } = useSchemaForm();
    if (schema.type === 'array' || Array.isArray(value)) return <PathList {...props} />;
    const text = typeof value === 'string' ? value : '';
    return (
        <>
            <PathBox
                id={id}
                value={text}
                isReadOnly={isReadOnly}
                isInvalid={isInvalid}
                describedBy={describedBy}
                isTarget={isTargetField(props.path)}
                placeholder={typeof schema.default === 'string' ? schema.default : undefined}
                onChange={next => onChange(textValue(next, schema, isRequired))}
            />
            <Meant text={text} onTake={onChange} />
        </>
    );
}

/** By the name that operators give it. */
function isTargetField(path: string): boolean {
    return path.slice(path.lastIndexOf('.') + 1) === 'target';
}

/** Says what an unknown path may be meant for. What a step makes itself is unknown to the samples, too, so nothing is said without a guess. */
function Meant({ text, onTake }: { readonly text: string; readonly onTake: (path: string) => void }): ReactNode {
    const paths = useSamplePaths();
    const meant = text === '' || isKnownPath(paths, text) ? undefined : meantPath(paths, text);
    if (meant === undefined) return null;
    return (
        <FieldDescription>
            <Trans>The sample records do not have this path.</Trans>{' '}
            <button type="button" className="min-h-6 underline underline-offset-4" onClick={() => onTake(meant)}>
                <Trans>Did you mean “{meant}”?</Trans>
            </button>
        </FieldDescription>
    );
}

function PathList({ id, schema, value, onChange, isRequired }: EditorProps): ReactNode {
    const { t } = useLingui();
    const { isReadOnly } = useSchemaForm();
    const list = Array.isArray(value) ? value.map(String) : [];
    const change = (changed: readonly string[]): void =>
        onChange(changed.length === 0 && (!isRequired || (schema.minItems ?? 0) > 0) ? undefined : changed);
    return (
        <div id={id} role="group" className="space-y-1">
            {list.map((path, i) => {
                const number = i + 1;
                return (
                    <div key={i} data-at={i} className="flex gap-1">
                        <PathBox
                            label={t`Path ${number}`}
                            value={path}
                            isReadOnly={isReadOnly}
                            onChange={next => change(list.map((one, at) => (at === i ? next : one)))}
                        />
                        {!isReadOnly && (
                            <IconButton
                                label={t`Remove path ${number}`}
                                onPress={() => change(list.filter((_, at) => at !== i))}
                            >
                                <XIcon />
                            </IconButton>
                        )}
                    </div>
                );
            })}
            {!isReadOnly && (
                <Button type="button" size="sm" variant="outline" onClick={() => change([...list, ''])}>
                    <PlusIcon aria-hidden />
                    <Trans>Add a path</Trans>
                </Button>
            )}
        </div>
    );
}
