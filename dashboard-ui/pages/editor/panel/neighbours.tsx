import { Trans, useLingui } from '@lingui/react/macro';
import { Button, Label, NativeSelect, NativeSelectOption } from '@vendure/dashboard';
import { PlusIcon, XIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import { IconButton } from '../../../ground/icon-button';
import { branchesOf } from '../catalogue/catalogue';
import { type Edge, edgesOf, type Step, stepOf, titleOf } from '../model/definition';
import { connect, disconnect, setBranch, targetsOf } from '../model/edits';
import { usePalette } from '../palette/palette-state';
import { useEditor } from '../state/editor-context';

/** What comes to a step and where it leads, by branches where it has some. */
export function Neighbours({ step }: { readonly step: Step }): ReactNode {
    const { drawing, catalogue, isReadOnly } = useEditor();
    const edges = edgesOf(drawing.definition);
    const into = edges.filter(({ to }) => to === step.key);
    const outOf = edges.filter(({ from }) => from === step.key);
    const branches = branchesOf(catalogue, step);
    return (
        <div className="space-y-5">
            <section className="space-y-2">
                <h3 className="text-sm font-medium">
                    <Trans>Comes from</Trans>
                </h3>
                {into.length === 0 && (
                    <p className="text-sm text-muted-foreground">
                        <Trans>No incoming connection.</Trans>
                    </p>
                )}
                <ul className="space-y-1">
                    {into.map(edge => (
                        <EdgeLine key={edge.index} edge={edge} other={edge.from} />
                    ))}
                </ul>
            </section>
            <section className="space-y-2">
                <h3 className="text-sm font-medium">
                    <Trans>Leads to</Trans>
                </h3>
                <ul className="space-y-1">
                    {outOf.map(edge => (
                        <EdgeLine key={edge.index} edge={edge} other={edge.to} branches={branches} />
                    ))}
                </ul>
                {!isReadOnly &&
                    (branches ?? [undefined]).map(branch => (
                        <ConnectTo key={branch ?? ''} step={step} branch={branch} />
                    ))}
            </section>
        </div>
    );
}

interface EdgeLineProps {
    readonly edge: Edge;
    readonly other: string;
    readonly branches?: readonly string[] | undefined;
}

function EdgeLine({ edge, other, branches }: EdgeLineProps): ReactNode {
    const { t } = useLingui();
    const { drawing, isReadOnly } = useEditor();
    const palette = usePalette();
    const called = (key: string): string => titleOf(stepOf(drawing.definition, key) ?? { key, name: undefined });
    const [from, to, neighbour] = [edge.from, edge.to, other].map(called);
    return (
        <li className="flex items-center gap-2 text-sm">
            <button
                type="button"
                className="min-h-6 truncate underline underline-offset-4"
                translate="no"
                onClick={() => drawing.select([other])}
            >
                {neighbour}
            </button>
            {branches && !isReadOnly ? (
                <NativeSelect
                    aria-label={t`Branch that leads to ${neighbour}`}
                    translate="no"
                    value={edge.branch ?? ''}
                    onChange={({ target }) => drawing.edit(old => setBranch(old, edge, target.value))}
                >
                    {(edge.branch === undefined || !branches.includes(edge.branch)) && (
                        <NativeSelectOption value={edge.branch ?? ''}>{edge.branch ?? '–'}</NativeSelectOption>
                    )}
                    {branches.map(branch => (
                        <NativeSelectOption key={branch} value={branch}>
                            {branch}
                        </NativeSelectOption>
                    ))}
                </NativeSelect>
            ) : (
                edge.branch !== undefined && <code translate="no">{edge.branch}</code>
            )}
            {!isReadOnly && (
                <span className="ml-auto flex shrink-0">
                    <IconButton label={t`Add a step between ${from} and ${to}`} onPress={() => palette.open({ edge })}>
                        <PlusIcon />
                    </IconButton>
                    <IconButton
                        label={t`Remove the connection from ${from} to ${to}`}
                        onPress={() => drawing.edit(old => disconnect(old, edge))}
                    >
                        <XIcon />
                    </IconButton>
                </span>
            )}
        </li>
    );
}

function ConnectTo({ step, branch }: { readonly step: Step; readonly branch: string | undefined }): ReactNode {
    const { t } = useLingui();
    const { drawing } = useEditor();
    const palette = usePalette();
    const from = { key: step.key, branch };
    const targets = targetsOf(drawing.definition, from);
    const id = `flow-connect-${branch ?? ''}`;
    return (
        <div className="space-y-1">
            <Label htmlFor={id} className="text-xs text-muted-foreground">
                {branch === undefined ? t`Connect to` : t`Connect branch ${branch} to`}
            </Label>
            <div className="flex gap-2">
                <NativeSelect
                    id={id}
                    className="grow"
                    translate="no"
                    value=""
                    onChange={({ target }) => {
                        const connected = connect(drawing.definition, from, target.value);
                        if (typeof connected !== 'string') drawing.edit(() => connected);
                    }}
                >
                    <NativeSelectOption value="">{t`Choose a step …`}</NativeSelectOption>
                    {targets.map(target => (
                        <NativeSelectOption key={target.key} value={target.key}>
                            {titleOf(target)}
                        </NativeSelectOption>
                    ))}
                </NativeSelect>
                <Button variant="outline" onClick={() => palette.open({ behind: from })}>
                    <PlusIcon aria-hidden />
                    <Trans>New step</Trans>
                </Button>
            </div>
        </div>
    );
}
