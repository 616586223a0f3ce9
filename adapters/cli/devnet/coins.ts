const DECIMALS = 18;

/** An amount in wei as decimal coins, without trailing zeros: `1.5`. */
export function bigintToDecimal18(wei: bigint): string {
  const digits = wei.toString().padStart(DECIMALS + 1, '0');
  const whole = digits.slice(0, -DECIMALS);
  const rest = digits.slice(-DECIMALS).replace(/0+$/, '');
  return rest === '' ? whole : `${whole}.${rest}`;
}
