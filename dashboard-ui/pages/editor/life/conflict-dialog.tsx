import { Trans, useLingui } from '@lingui/react/macro';
import {
    Button,
    Dialog,
    DialogContent,
    DialogDescription,
    DialogFooter,
    DialogHeader,
    DialogTitle,
    Label,
    RadioGroup,
    RadioGroupItem,
} from '@vendure/dashboard';
import { type ReactNode, useId, useMemo, useState } from 'react';
import { fieldsOf, valueAt } from '../../../parts/record-fields';
import { type Choice, type Divergence, divergences, merged, same } from '../model/compare';
import { useEditor } from '../state/editor-context';
import type { Foreign, Saving } from '../state/use-saving';

interface ConflictDialogProps {
    readonly saving: Saving;
    readonly foreign: Foreign;
    readonly isOpen: boolean;
    readonly onClose: () => void;
}

/** Both versions step by step, mine and theirs; what is chosen becomes the drawing, to be saved as usual. Nothing is overwritten. */
export function ConflictDialog({ saving, foreign, isOpen, onClose }: ConflictDialogProps): ReactNode {
    const { drawing } = useEditor();
    const { definition: mine } = drawing;
    const { definition: base } = saving.base;
    const { definition: theirs } = foreign;
    const all = useMemo(() => divergences(base, mine, theirs), [base, mine, theirs]);
    const [chosen, setChosen] = useState<Readonly<Record<string, Choice>>>({});
    const choiceOf = ({ id, changedBy }: Divergence): Choice =>
        chosen[id] ?? (changedBy === 'them' ? 'theirs' : 'mine');
    const take = (): void => {
        drawing.edit(() => merged({ base, mine, theirs }, choiceOf), { select: [] });
        saving.rebase(foreign);
        onClose();
    };
    return (
        <Dialog open={isOpen} onOpenChange={open => !open && onClose()}>
            <DialogContent className="flex max-h-[85vh] flex-col sm:max-w-4xl">
                <DialogHeader>
                    <DialogTitle>
                        <Trans>Your version and the saved version</Trans>
                    </DialogTitle>
                    <DialogDescription>
                        <Trans>
                            Choose a version for each step. Added and removed connections of both versions are applied.
                            You can review and undo the result before you save.
                        </Trans>
                    </DialogDescription>
                </DialogHeader>
                <ul className="min-h-0 space-y-3 overflow-y-auto">
                    {all.map(one => (
                        <OneDivergence
                            key={one.id}
                            divergence={one}
                            choice={choiceOf(one)}
                            onChoose={choice => setChosen({ ...chosen, [one.id]: choice })}
                        />
                    ))}
                    {all.length === 0 && (
                        <li className="text-sm text-muted-foreground">
                            <Trans>Only connections differ.</Trans>
                        </li>
                    )}
                </ul>
                <DialogFooter>
                    <Button variant="outline" onClick={onClose}>
                        <Trans context="flow">Cancel</Trans>
                    </Button>
                    <Button onClick={take}>
                        <Trans>Use the selection</Trans>
                    </Button>
                </DialogFooter>
            </DialogContent>
        </Dialog>
    );
}

interface OneDivergenceProps {
    readonly divergence: Divergence;
    readonly choice: Choice;
    readonly onChoose: (choice: Choice) => void;
}

function OneDivergence({ divergence, choice, onChoose }: OneDivergenceProps): ReactNode {
    const { t } = useLingui();
    const { stepKey, setting, mine, theirs, changedBy } = divergence;
    const name = stepKey ?? setting ?? '';
    const paths = useMemo(() => differingPaths(mine, theirs), [mine, theirs]);
    const who = {
        me: t`changed by you`,
        them: t`changed in the other version`,
        both: t`changed by both`,
    };
    return (
        <li className="space-y-2 rounded-md border p-3">
            <p className="text-sm">
                <strong className="font-medium" translate="no">
                    {name}
                </strong>{' '}
                <span className="text-muted-foreground">{who[changedBy]}</span>
            </p>
            <RadioGroup
                className="grid gap-2 md:grid-cols-2"
                aria-label={t`Version of ${name}`}
                value={choice}
                onValueChange={value => onChoose(value as Choice)}
            >
                <Version value="mine" label={t`Yours`} content={mine} paths={paths} />
                <Version value="theirs" label={t`The saved version`} content={theirs} paths={paths} />
            </RadioGroup>
        </li>
    );
}

/** The fields in which two versions differ; all of them where one is not there. */
function differingPaths(mine: unknown, theirs: unknown): readonly string[] {
    const paths = [...new Set([...fieldsOf(mine), ...fieldsOf(theirs)].map(({ path }) => path))];
    return paths.filter(path => !same(valueAt(mine, path), valueAt(theirs, path)));
}

function Version({
    value,
    label,
    content,
    paths,
}: {
    readonly value: Choice;
    readonly label: string;
    readonly content: unknown;
    /** Where the two versions differ. */
    readonly paths: readonly string[];
}): ReactNode {
    const id = useId();
    return (
        <div className="min-w-0 space-y-1">
            <Label htmlFor={id} className="flex min-h-6 items-center gap-2">
                <RadioGroupItem id={id} value={value} />
                {label}
            </Label>
            <div tabIndex={0} translate="no" className="max-h-48 overflow-auto rounded-sm bg-muted p-2 text-xs">
                {content === undefined ? (
                    <Trans>Not found.</Trans>
                ) : (
                    paths.map(path => (
                        <p key={path} className="font-mono break-words whitespace-pre-wrap">
                            <span className="text-muted-foreground">{path}: </span>
                            {JSON.stringify(valueAt(content, path), null, 2) ?? '–'}
                        </p>
                    ))
                )}
            </div>
        </div>
    );
}
