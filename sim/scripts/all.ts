import type { CryptoSuite } from '../../core/crypto/suite.ts';
import type { Cluster } from '../cluster.ts';
import type { ClientSpec } from '../scenario/clientSpecs.ts';
import { authorities } from './authorities.ts';
import { bounds } from './bounds.ts';
import { bulk } from './bulk.ts';
import { contracts } from './contracts.ts';
import { crowd } from './crowd.ts';
import { emptied } from './emptied.ts';
import { erc20Churn } from './erc20.ts';
import { faults } from './faults.ts';
import { features } from './features.ts';
import { refunded } from './refunded.ts';
import type { Script } from './script.ts';
import { shelf } from './shelf.ts';
import { squeezed } from './squeezed.ts';
import { tips } from './tips.ts';
import { transfers } from './transfers.ts';
import { wild } from './wild.ts';

/** What a wallet sends, by the name that its scenario gives. */
export function scriptOf(
  suite: CryptoSuite,
  { script, revertPpm }: ClientSpec,
  { feeMarket }: Cluster,
): Script {
  if (script === 'transfers' || script === 'waits') return transfers;
  if (script === 'features') return features(suite, feeMarket);
  if (script === 'authorities') return authorities(suite);
  if (script === 'bounds') return bounds(suite);
  if (script === 'bulk') return bulk;
  if (script === 'crowd') return crowd();
  if (script === 'emptied') return emptied(feeMarket);
  if (script === 'shelf') return shelf(suite);
  if (script === 'squeezed') return squeezed;
  if (script === 'refunded') return refunded();
  if (script === 'tips') return tips;
  if (script === 'wild') return wild(suite);
  if (script === 'faults') return faults();
  return script === 'contracts' ? contracts(suite) : erc20Churn(suite, revertPpm ?? 0);
}
