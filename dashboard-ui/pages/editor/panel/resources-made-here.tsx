import { Trans } from '@lingui/react/macro';
import { Button } from '@vendure/dashboard';
import type { ComponentType, ReactNode } from 'react';
import { type EditorProps, useSchemaForm, type Widgets } from '../../../form/form-context';
import { ConnectionInput, SecretInput } from '../../../form/resource-widgets';
import { fittingTypes } from '../../../form/values';
import { ConnectionDialog } from '../../connection/connection-dialog';
import { SecretDialog } from '../../secrets/secret-dialog';

const LINK = 'h-6 justify-start px-0 text-muted-foreground underline underline-offset-4';

/** A secret, picked or set on the spot. */
function SecretMadeHere(props: EditorProps<string>): ReactNode {
    return (
        <SecretInput
            {...props}
            making={
                <SecretDialog onSet={props.onChange}>
                    <Button type="button" variant="link" className={LINK}>
                        <Trans>Set a new secret</Trans>
                    </Button>
                </SecretDialog>
            }
        />
    );
}

const secretsMadeHere: Widgets = { secret: SecretMadeHere as ComponentType<EditorProps> };

/** A connection, picked or made on the spot, with the secrets that it needs. */
function ConnectionMadeHere(props: EditorProps<string>): ReactNode {
    const types = fittingTypes(props.schema, props.path, useSchemaForm().draft);
    return (
        <ConnectionInput
            {...props}
            making={
                <ConnectionDialog only={types} widgets={secretsMadeHere} onMade={props.onChange}>
                    <Button type="button" variant="link" className={LINK}>
                        <Trans>Create connection</Trans>
                    </Button>
                </ConnectionDialog>
            }
        />
    );
}

/** Editors for what is named by its code, with another one made where it is needed. */
export const resourcesMadeHere: Widgets = {
    ...secretsMadeHere,
    connection: ConnectionMadeHere as ComponentType<EditorProps>,
};
