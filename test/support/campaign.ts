/** True in `npm run campaign`, which also tries what is more of the same and takes minutes. */
export const isCampaign = process.env['ORRERY_CAMPAIGN'] !== undefined;
