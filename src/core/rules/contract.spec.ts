import { rules } from '.';
import { describeRules } from '../../../test/kit/rule-contract';

describeRules(rules);
