import { Trans, useLingui } from '@lingui/react/macro';
import { Button, Input, Tabs, TabsList, TabsTrigger } from '@vendure/dashboard';
import { ClipboardPasteIcon, CopyIcon, LayoutGridIcon, PlusIcon, RedoIcon, Trash2Icon, UndoIcon } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { IconButton } from '../../ground/icon-button';
import { copied } from './model/clipboard';
import { deleteSteps } from './model/edits';
import { found } from './model/outline';
import { PasteDialog } from './palette/paste-dialog';
import { usePalette } from './palette/palette-state';
import { usualBehind } from './palette/use-palette-state';
import { useEditor } from './state/editor-context';

/** In which way the definition is seen. */
export type View = 'graph' | 'outline' | 'text';

interface ToolbarProps {
    readonly view: View;
    readonly onView: (view: View) => void;
}

/** Which view, and what can be done in all of them. */
export function Toolbar({ view, onView }: ToolbarProps): ReactNode {
    const { t } = useLingui();
    const { drawing, isReadOnly } = useEditor();
    const palette = usePalette();
    const [isPasting, setPasting] = useState(false);
    const { selected, definition } = drawing;
    const behind = usualBehind(drawing);
    const copy = (): void => void navigator.clipboard.writeText(copied(definition, selected));
    return (
        <div className="flex flex-wrap items-center gap-2" role="toolbar" aria-label={t`Actions`}>
            <Tabs value={view} onValueChange={value => onView(value as View)}>
                <TabsList>
                    <TabsTrigger value="graph">
                        <Trans context="flow view">Graph</Trans>
                    </TabsTrigger>
                    <TabsTrigger value="outline">
                        <Trans context="flow view">Outline</Trans>
                    </TabsTrigger>
                    <TabsTrigger value="text">
                        <Trans context="flow view">Text</Trans>
                    </TabsTrigger>
                </TabsList>
            </Tabs>
            {!isReadOnly && (
                <>
                    <Button variant="outline" size="sm" onClick={() => palette.open(behind ? { behind } : {})}>
                        <PlusIcon aria-hidden />
                        <Trans>Add a step</Trans>
                    </Button>
                    <div className="flex">
                        <IconButton label={t`Undo`} isOff={!drawing.canUndo} onPress={drawing.undo}>
                            <UndoIcon />
                        </IconButton>
                        <IconButton label={t`Redo`} isOff={!drawing.canRedo} onPress={drawing.redo}>
                            <RedoIcon />
                        </IconButton>
                        <IconButton label={t`Copy selected steps`} isOff={selected.length === 0} onPress={copy}>
                            <CopyIcon />
                        </IconButton>
                        <IconButton label={t`Paste steps`} onPress={() => setPasting(true)}>
                            <ClipboardPasteIcon />
                        </IconButton>
                        <IconButton
                            label={t`Delete selected steps`}
                            isOff={selected.length === 0}
                            onPress={() => drawing.edit(old => deleteSteps(old, selected), { select: [] })}
                        >
                            <Trash2Icon />
                        </IconButton>
                        {view === 'graph' && (
                            <IconButton
                                label={t`Auto-layout`}
                                isOff={Object.keys(drawing.places).length === 0}
                                onPress={() => drawing.place({})}
                            >
                                <LayoutGridIcon />
                            </IconButton>
                        )}
                    </div>
                    <PasteDialog isOpen={isPasting} onClose={() => setPasting(false)} />
                </>
            )}
            <StepSearch />
        </div>
    );
}

/** Finds steps by what they are called and set to, and chooses them. */
function StepSearch(): ReactNode {
    const { t } = useLingui();
    const { drawing } = useEditor();
    const [text, setText] = useState('');
    const steps = found(drawing.definition, text);
    const count = steps.length;
    return (
        <div className="ml-auto flex items-center gap-2">
            {text.trim() !== '' && (
                <span className="text-sm text-muted-foreground" aria-live="polite">
                    <Trans>{count} found</Trans>
                </span>
            )}
            <Input
                type="search"
                className="h-8 w-44"
                aria-label={t`Find a step`}
                placeholder={t`Find a step …`}
                value={text}
                onChange={({ target }) => {
                    setText(target.value);
                    const keys = found(drawing.definition, target.value).map(({ key }) => key);
                    if (keys.length > 0) drawing.select(keys);
                }}
            />
        </div>
    );
}
