import type { ResultOf } from '../../gql/graphql';
import type { secretListDocument } from './secrets.graphql';

/** A line of the list: everything about a secret but the secret. */
export type SecretRow = ResultOf<typeof secretListDocument>['flowSecrets']['items'][number];
