import { createContext, useContext } from 'react';
import type { Catalogue } from '../catalogue/catalogue';
import type { DefinitionFormat, EditedPipeline } from '../editor.graphql';
import type { DrawingState } from './drawing';
import type { EditorIssue } from './issues';
import type { Checks } from './use-checks';
import type { Trial } from './use-trial';

/** What all parts of the editor share. */
export interface EditorSurroundings {
    readonly pipeline: EditedPipeline;
    readonly catalogue: Catalogue;
    readonly format: DefinitionFormat;
    readonly drawing: DrawingState;
    readonly checks: Checks;
    /** Leads to the field that an issue belongs to; its step has to be chosen. */
    readonly seek: (issue: EditorIssue) => void;
    readonly trial: Trial;
    readonly isReadOnly: boolean;
}

const Surroundings = createContext<EditorSurroundings | undefined>(undefined);

export const EditorProvider = Surroundings.Provider;

/** What all parts of this editor share. */
export function useEditor(): EditorSurroundings {
    const editor = useContext(Surroundings);
    if (editor === undefined) throw new Error('There is no editor around this');
    return editor;
}
