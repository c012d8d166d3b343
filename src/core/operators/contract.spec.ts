import { describeOperators } from '../../../test/kit/operator-contract';
import { operators } from './index';

describeOperators(operators);
