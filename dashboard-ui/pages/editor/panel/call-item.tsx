import { Trans, useLingui } from '@lingui/react/macro';
import { Button, cn } from '@vendure/dashboard';
import {
    ArrowDownIcon,
    ArrowUpIcon,
    ChevronDownIcon,
    ChevronRightIcon,
    CircleAlertIcon,
    GripVerticalIcon,
    PowerIcon,
    TriangleAlertIcon,
    XIcon,
} from 'lucide-react';
import { type ReactNode, useEffect, useRef } from 'react';
import { IssueLines } from '../../../form/issue-lines';
import { isRecord } from '../../../form/json-schema';
import { SchemaForm } from '../../../form/schema-form';
import { IconButton } from '../../../ground/icon-button';
import { WithCode } from '../../../parts/with-code';
import { findAdapter, formOf, type StepAdapters } from '../catalogue/catalogue';
import { sentenceOf } from '../catalogue/sentence';
import { useEditor } from '../state/editor-context';
import { countOf, issuesBelow, type PlacedIssue } from '../state/issues';
import { OperatorTrial } from '../try/operator-trial';
import { callOf } from './calls';
import { editorWidgets } from './widgets';

interface CallItemProps {
    readonly call: unknown;
    readonly place: number;
    readonly count: number;
    readonly adapters: StepAdapters;
    readonly stepKey: string | undefined;
    readonly issues: readonly PlacedIssue[];
    readonly isOpen: boolean;
    /** It has just been added, and is about to be set. */
    readonly isFresh: boolean;
    readonly onToggle: () => void;
    readonly onMove: (to: number) => void;
    readonly onRemove: () => void;
    readonly onChange: (call: unknown) => void;
    readonly onDrag: () => void;
    readonly onDrop: () => void;
}

/** Elements that accept typing. A code editor loads later, and a switch is not a good first field. */
const TYPED = 'input:not([type="checkbox"]):not([aria-hidden]), select, textarea';

/** One operator or rule: a sentence of what it does; opened, its form. */
export function CallItem(props: CallItemProps): ReactNode {
    const { call, place, count, adapters, stepKey, issues, isOpen, isFresh, onToggle, onMove, onChange } = props;
    const form = useRef<HTMLDivElement>(null);
    useEffect(() => {
        if (!isFresh) return;
        const field = form.current?.querySelector('[data-slot="field"]');
        field?.querySelector<HTMLElement>(TYPED)?.focus();
    }, [isFresh]);
    const { t } = useLingui();
    const { catalogue, isReadOnly } = useEditor();
    const { code, args, raw } = callOf(call, adapters);
    const adapter = findAdapter(catalogue, adapters.kind, code);
    const schema = formOf(adapter?.schema);
    const { subject, title, settings } = sentenceOf(adapter?.title ?? String(code ?? '?'), schema, args);
    const { errors, warnings } = countOf(issues);
    const number = place + 1;
    const isDisabled = raw?.['disabled'] === true;
    const hasForm = adapter !== undefined && raw !== undefined && adapters.value !== null;
    const ofCall = issues.filter(({ path }) => !hasForm || !path.startsWith(`${adapters.value}.`));
    return (
        <li
            className="rounded-md border"
            onDragOver={event => event.preventDefault()}
            onDrop={event => {
                event.preventDefault();
                props.onDrop();
            }}
        >
            <div className="flex items-center gap-0.5 p-0.5">
                {!isReadOnly && (
                    <span
                        draggable
                        aria-hidden
                        className="cursor-grab p-1 text-muted-foreground"
                        onDragStart={event => {
                            event.dataTransfer.setData('text/plain', String(code));
                            props.onDrag();
                        }}
                    >
                        <GripVerticalIcon className="size-4" />
                    </span>
                )}
                <button
                    type="button"
                    aria-expanded={isOpen}
                    className="flex min-h-8 min-w-0 grow items-center gap-1 rounded-sm px-1 text-left text-sm outline-none focus-visible:ring-3 focus-visible:ring-ring/50"
                    onClick={onToggle}
                    onKeyDown={event => {
                        if (!event.altKey || isReadOnly) return;
                        if (event.key === 'ArrowUp') onMove(place - 1);
                        if (event.key === 'ArrowDown') onMove(place + 1);
                    }}
                >
                    {isOpen ? (
                        <ChevronDownIcon aria-hidden className="size-4 shrink-0" />
                    ) : (
                        <ChevronRightIcon aria-hidden className="size-4 shrink-0" />
                    )}
                    <span className={cn('min-w-0 wrap-anywhere', isDisabled && 'line-through opacity-70')}>
                        {subject !== '' && (
                            <span className="font-medium" translate="no">
                                {subject}:{' '}
                            </span>
                        )}
                        {title}
                        {settings !== '' && <span className="text-muted-foreground"> ({settings})</span>}
                    </span>
                    {errors > 0 && (
                        <CircleAlertIcon
                            className="ml-auto size-4 shrink-0 text-destructive"
                            aria-label={t`has errors`}
                        />
                    )}
                    {warnings > 0 && errors === 0 && (
                        <TriangleAlertIcon
                            className="ml-auto size-4 shrink-0 text-warning"
                            aria-label={t`has warnings`}
                        />
                    )}
                </button>
                {!isReadOnly && (
                    <IconButton label={t`Remove entry ${number}`} onPress={props.onRemove}>
                        <XIcon />
                    </IconButton>
                )}
            </div>
            {isOpen && (
                <div ref={form} className="space-y-4 border-t p-3">
                    {adapter ? (
                        <p className="text-sm text-muted-foreground">
                            <WithCode text={adapter.summary} />
                        </p>
                    ) : (
                        <p className="text-sm">
                            <Trans>This server does not have this adapter. The step is kept unchanged.</Trans>
                        </p>
                    )}
                    <IssueLines issues={ofCall} />
                    {hasForm && (
                        <SchemaForm
                            key={adapter.code}
                            schema={schema}
                            value={isRecord(args) ? args : {}}
                            showFaults
                            isReadOnly={isReadOnly}
                            issues={issuesBelow(issues, adapters.value)}
                            widgets={editorWidgets}
                            onChange={changed => onChange({ ...raw, [adapters.value!]: changed })}
                        />
                    )}
                    {stepKey !== undefined && <OperatorTrial stepKey={stepKey} position={number} />}
                    {!isReadOnly && (
                        <div className="flex flex-wrap gap-1">
                            <IconButton
                                label={t`Move entry ${number} up`}
                                isOff={place === 0}
                                onPress={() => onMove(place - 1)}
                            >
                                <ArrowUpIcon />
                            </IconButton>
                            <IconButton
                                label={t`Move entry ${number} down`}
                                isOff={place === count - 1}
                                onPress={() => onMove(place + 1)}
                            >
                                <ArrowDownIcon />
                            </IconButton>
                            {adapters.kind === 'OPERATOR' && raw && (
                                <Button
                                    size="sm"
                                    variant="ghost"
                                    aria-pressed={isDisabled}
                                    onClick={() => {
                                        const { disabled: _old, ...rest } = raw;
                                        onChange(isDisabled ? rest : { ...raw, disabled: true });
                                    }}
                                >
                                    <PowerIcon aria-hidden />
                                    {isDisabled ? (
                                        <Trans context="flow">Enable</Trans>
                                    ) : (
                                        <Trans context="flow">Disable</Trans>
                                    )}
                                </Button>
                            )}
                        </div>
                    )}
                </div>
            )}
        </li>
    );
}
