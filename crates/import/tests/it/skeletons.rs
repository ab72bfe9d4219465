//! Skeletons in the naming schemes of many programs, and with names in no language: head, arms, hands and legs
//! are found in all of them.

use std::fmt::Write as _;

use bone_core::Side;
use bone_import::figure::{FigureOptions, build_figure};
use bone_import::parts::BodyPart;
use bone_import::{ViewDirection, bvh, project};

/// A skeleton: joints are separated by `;`. A letter and `=` in front of a name is the place of the joint: H
/// hips, C where the arms begin, N neck, D head, E end; K collar, U upper arm, A forearm, W hand; T thigh, S
/// shin, F foot, O toes. Joints without a letter lie between their neighbours. `%` is the word of a side.
struct Scheme {
    what: &'static str,
    sides: (&'static str, &'static str),
    /// From the root to the chest.
    trunk: &'static str,
    head: &'static str,
    arm: &'static str,
    leg: &'static str,
    /// Joints that are not parts of the body: a parent and a name, separated by `<`.
    more: &'static str,
}

const fn scheme(
    what: &'static str,
    sides: (&'static str, &'static str),
    trunk: &'static str,
    head: &'static str,
    arm: &'static str,
    leg: &'static str,
    more: &'static str,
) -> Scheme {
    Scheme { what, sides, trunk, head, arm, leg, more }
}

const LETTERS: (&str, &str) = ("L", "R");
const SMALL: (&str, &str) = ("l", "r");
const WORDS: (&str, &str) = ("Left", "Right");

const SCHEMES: [Scheme; 34] = [
    scheme(
        "Mixamo",
        WORDS,
        "H=mixamorig:Hips;mixamorig:Spine;mixamorig:Spine1;C=mixamorig:Spine2",
        "N=mixamorig:Neck;D=mixamorig:Head;E=mixamorig:HeadTop_End",
        "K=mixamorig:%Shoulder;U=mixamorig:%Arm;A=mixamorig:%ForeArm;W=mixamorig:%Hand;E=mixamorig:%HandMiddle1",
        "T=mixamorig:%UpLeg;S=mixamorig:%Leg;F=mixamorig:%Foot;O=mixamorig:%ToeBase;E=mixamorig:%Toe_End",
        "mixamorig:LeftHand<mixamorig:LeftHandThumb1",
    ),
    scheme(
        "Mixamo with underscores",
        WORDS,
        "H=mixamorig_Hips;mixamorig_Spine;C=mixamorig_Spine2",
        "N=mixamorig_Neck;D=mixamorig_Head;E=mixamorig_HeadTop_End",
        "K=mixamorig_%Shoulder;U=mixamorig_%Arm;A=mixamorig_%ForeArm;W=mixamorig_%Hand",
        "T=mixamorig_%UpLeg;S=mixamorig_%Leg;F=mixamorig_%Foot;O=mixamorig_%ToeBase",
        "",
    ),
    scheme(
        "Mixamo, numbered",
        WORDS,
        "H=mixamorig1:Hips;C=mixamorig1:Spine",
        "N=mixamorig1:Neck;D=mixamorig1:Head",
        "K=mixamorig1:%Shoulder;U=mixamorig1:%Arm;A=mixamorig1:%ForeArm;W=mixamorig1:%Hand",
        "T=mixamorig1:%UpLeg;S=mixamorig1:%Leg;F=mixamorig1:%Foot;O=mixamorig1:%ToeBase",
        "",
    ),
    scheme(
        "Mixamo without separators",
        WORDS,
        "H=mixamorigHips;C=mixamorigSpine",
        "N=mixamorigNeck;D=mixamorigHead",
        "K=mixamorig%Shoulder;U=mixamorig%Arm;A=mixamorig%ForeArm;W=mixamorig%Hand",
        "T=mixamorig%UpLeg;S=mixamorig%Leg;F=mixamorig%Foot;O=mixamorig%ToeBase",
        "",
    ),
    scheme(
        "Unreal",
        SMALL,
        "R=root;H=pelvis;spine_01;spine_02;C=spine_03",
        "N=neck_01;D=head",
        "K=clavicle_%;U=upperarm_%;A=lowerarm_%;W=hand_%;E=middle_01_%",
        "T=thigh_%;S=calf_%;F=foot_%;O=ball_%",
        "upperarm_l<upperarm_twist_01_l;calf_r<calf_twist_01_r;root<ik_foot_root;ik_foot_root<ik_foot_l;ik_foot_root<ik_foot_r;root<ik_hand_root;ik_hand_root<ik_hand_l",
    ),
    scheme(
        "Unreal 5",
        SMALL,
        "R=root;H=pelvis;spine_01;spine_02;spine_03;spine_04;C=spine_05",
        "N=neck_01;neck_02;D=head",
        "K=clavicle_%;U=upperarm_%;A=lowerarm_%;W=hand_%;E=middle_metacarpal_%",
        "T=thigh_%;S=calf_%;F=foot_%;O=ball_%",
        "",
    ),
    scheme(
        "3ds Max Biped",
        LETTERS,
        "R=Bip01;H=Bip01 Pelvis;Bip01 Spine;C=Bip01 Spine1",
        "N=Bip01 Neck;D=Bip01 Head;E=Bip01 HeadNub",
        "K=Bip01 % Clavicle;U=Bip01 % UpperArm;A=Bip01 % Forearm;W=Bip01 % Hand;E=Bip01 % Finger0",
        "T=Bip01 % Thigh;S=Bip01 % Calf;F=Bip01 % Foot;O=Bip01 % Toe0;E=Bip01 % Toe0Nub",
        "",
    ),
    scheme(
        "Biped, exported",
        LETTERS,
        "R=Bip001;H=Bip001_Pelvis;C=Bip001_Spine",
        "N=Bip001_Neck;D=Bip001_Head",
        "K=Bip001_%_Clavicle;U=Bip001_%_UpperArm;A=Bip001_%_Forearm;W=Bip001_%_Hand",
        "T=Bip001_%_Thigh;S=Bip001_%_Calf;F=Bip001_%_Foot;O=Bip001_%_Toe0",
        "",
    ),
    scheme(
        "Valve",
        LETTERS,
        "H=ValveBiped.Bip01_Pelvis;ValveBiped.Bip01_Spine;C=ValveBiped.Bip01_Spine4",
        "N=ValveBiped.Bip01_Neck1;D=ValveBiped.Bip01_Head1",
        "K=ValveBiped.Bip01_%_Clavicle;U=ValveBiped.Bip01_%_UpperArm;A=ValveBiped.Bip01_%_Forearm;W=ValveBiped.Bip01_%_Hand",
        "T=ValveBiped.Bip01_%_Thigh;S=ValveBiped.Bip01_%_Calf;F=ValveBiped.Bip01_%_Foot;O=ValveBiped.Bip01_%_Toe0",
        "",
    ),
    scheme(
        "VRoid",
        LETTERS,
        "R=Root;H=J_Bip_C_Hips;J_Bip_C_Spine;J_Bip_C_Chest;C=J_Bip_C_UpperChest",
        "N=J_Bip_C_Neck;D=J_Bip_C_Head;J_Sec_Hair1_01",
        "K=J_Bip_%_Shoulder;U=J_Bip_%_UpperArm;A=J_Bip_%_LowerArm;W=J_Bip_%_Hand;E=J_Bip_%_Middle1",
        "T=J_Bip_%_UpperLeg;S=J_Bip_%_LowerLeg;F=J_Bip_%_Foot;O=J_Bip_%_ToeBase",
        "J_Bip_C_Head<J_Adj_L_FaceEye;J_Bip_C_Head<J_Adj_R_FaceEye",
    ),
    scheme(
        "VRM",
        ("left", "right"),
        "H=hips;spine;chest;C=upperChest",
        "N=neck;D=head",
        "K=%Shoulder;U=%UpperArm;A=%LowerArm;W=%Hand",
        "T=%UpperLeg;S=%LowerLeg;F=%Foot;O=%Toes",
        "",
    ),
    scheme(
        "Character Creator",
        LETTERS,
        "R=CC_Base_BoneRoot;H=CC_Base_Hip;CC_Base_Waist;CC_Base_Spine01;C=CC_Base_Spine02",
        "N=CC_Base_NeckTwist01;CC_Base_NeckTwist02;D=CC_Base_Head",
        "K=CC_Base_%_Clavicle;U=CC_Base_%_Upperarm;A=CC_Base_%_Forearm;W=CC_Base_%_Hand",
        "CC_Base_%_Pelvis;T=CC_Base_%_Thigh;S=CC_Base_%_Calf;F=CC_Base_%_Foot;O=CC_Base_%_ToeBase",
        "CC_Base_L_Thigh<CC_Base_L_ThighTwist01;CC_Base_R_Upperarm<CC_Base_R_UpperarmTwist01",
    ),
    scheme(
        "Rigify",
        LETTERS,
        "H=DEF-spine;DEF-spine.001;DEF-spine.002;C=DEF-spine.003",
        "N=DEF-spine.004;DEF-spine.005;D=DEF-spine.006",
        "K=DEF-shoulder.%;U=DEF-upper_arm.%;DEF-upper_arm.%.001;A=DEF-forearm.%;DEF-forearm.%.001;W=DEF-hand.%",
        "T=DEF-thigh.%;DEF-thigh.%.001;S=DEF-shin.%;DEF-shin.%.001;F=DEF-foot.%;O=DEF-toe.%",
        "DEF-spine<DEF-pelvis.L;DEF-spine<DEF-pelvis.R",
    ),
    scheme(
        "Blender metarig",
        LETTERS,
        "H=spine;spine.001;spine.002;C=spine.003",
        "N=spine.004;spine.005;D=spine.006",
        "K=shoulder.%;U=upper_arm.%;A=forearm.%;W=hand.%;E=palm.02.%",
        "T=thigh.%;S=shin.%;F=foot.%;O=toe.%",
        "spine<pelvis.L;spine<pelvis.R",
    ),
    scheme(
        "MakeHuman",
        LETTERS,
        "H=root;spine05;spine04;spine03;C=spine02",
        "spine01;N=neck01;neck02;neck03;D=head",
        "clavicle.%;K=shoulder01.%;U=upperarm01.%;upperarm02.%;A=lowerarm01.%;lowerarm02.%;W=wrist.%;E=finger3-1.%",
        "pelvis.%;T=upperleg01.%;upperleg02.%;S=lowerleg01.%;lowerleg02.%;F=foot.%;O=toe1-1.%",
        "foot.L<toe2-1.L;foot.R<toe2-1.R",
    ),
    scheme(
        "MikuMikuDance",
        ("左", "右"),
        "R=全ての親;H=センター;C=上半身",
        "N=首;D=頭",
        "K=%肩;U=%腕;%腕捩;A=%ひじ;%手捩;W=%手首;E=%中指１",
        "下半身%;T=%足;S=%ひざ;F=%足首;O=%つま先",
        "全ての親<左足ＩＫ;全ての親<右足ＩＫ",
    ),
    scheme(
        "MikuMikuDance, English",
        LETTERS,
        "H=center;C=upper body",
        "N=neck;D=head",
        "K=shoulder_%;U=arm_%;A=elbow_%;W=wrist_%",
        "T=leg_%;S=knee_%;F=ankle_%;O=toe_%",
        "center<leg IK_L;center<leg IK_R",
    ),
    scheme(
        "HumanIK",
        WORDS,
        "R=Character1_Reference;H=Character1_Hips;Character1_Spine;C=Character1_Spine1",
        "N=Character1_Neck;D=Character1_Head",
        "K=Character1_%Shoulder;U=Character1_%Arm;A=Character1_%ForeArm;W=Character1_%Hand",
        "T=Character1_%UpLeg;S=Character1_%Leg;F=Character1_%Foot;O=Character1_%ToeBase",
        "",
    ),
    scheme(
        "Daz Genesis",
        SMALL,
        "H=hip;abdomenLower;abdomenUpper;chestLower;C=chestUpper",
        "N=neckLower;neckUpper;D=head",
        "K=%Collar;U=%ShldrBend;%ShldrTwist;A=%ForearmBend;%ForearmTwist;W=%Hand;E=%Mid1",
        "T=%ThighBend;%ThighTwist;S=%Shin;F=%Foot;%Metatarsals;O=%Toe",
        "",
    ),
    scheme(
        "Daz Genesis 9",
        SMALL,
        "H=hip;spine1;spine2;spine3;C=spine4",
        "N=neck1;neck2;D=head",
        "K=%_shoulder;U=%_upperarm;A=%_forearm;W=%_hand",
        "T=%_thigh;S=%_shin;F=%_foot;O=%_toes",
        "l_upperarm<l_upperarmtwist1",
    ),
    scheme(
        "Poser",
        SMALL,
        "R=Body;H=hip;abdomen;C=chest",
        "N=neck;D=head",
        "K=%Collar;U=%Shldr;A=%ForeArm;W=%Hand",
        "%Buttock;T=%Thigh;S=%Shin;F=%Foot;O=%Toe",
        "",
    ),
    scheme(
        "Xsens",
        WORDS,
        "H=Hips;Chest;Chest2;Chest3;C=Chest4",
        "N=Neck;D=Head",
        "K=%Collar;U=%Shoulder;A=%Elbow;W=%Wrist",
        "T=%Hip;S=%Knee;F=%Ankle;O=%Toe",
        "",
    ),
    scheme(
        "Xsens MVN",
        WORDS,
        "H=Pelvis;L5;L3;T12;C=T8",
        "N=Neck;D=Head",
        "K=%Shoulder;U=%UpperArm;A=%ForeArm;W=%Hand",
        "T=%UpperLeg;S=%LowerLeg;F=%Foot;O=%Toe",
        "",
    ),
    scheme(
        "SMPL",
        LETTERS,
        "H=Pelvis;Spine1;Spine2;C=Spine3",
        "N=Neck;D=Head",
        "K=%_Collar;U=%_Shoulder;A=%_Elbow;W=%_Wrist;E=%_Hand",
        "T=%_Hip;S=%_Knee;F=%_Ankle;O=%_Foot",
        "",
    ),
    scheme(
        "SMPL, averages",
        LETTERS,
        "R=m_avg_root;H=m_avg_Pelvis;m_avg_Spine1;C=m_avg_Spine3",
        "N=m_avg_Neck;D=m_avg_Head",
        "K=m_avg_%_Collar;U=m_avg_%_Shoulder;A=m_avg_%_Elbow;W=m_avg_%_Wrist;E=m_avg_%_Hand",
        "T=m_avg_%_Hip;S=m_avg_%_Knee;F=m_avg_%_Ankle;O=m_avg_%_Foot",
        "",
    ),
    scheme(
        "SMPL-X",
        ("left", "right"),
        "H=pelvis;spine1;spine2;C=spine3",
        "N=neck;D=head",
        "K=%_collar;U=%_shoulder;A=%_elbow;W=%_wrist;E=%_middle1",
        "T=%_hip;S=%_knee;F=%_ankle;O=%_foot",
        "head<jaw;head<left_eye_smplhf;head<right_eye_smplhf",
    ),
    scheme(
        "Perception Neuron",
        WORDS,
        "H=Robot_Hips;Robot_Spine;Robot_Spine1;C=Robot_Spine3",
        "N=Robot_Neck;D=Robot_Head",
        "K=Robot_%Shoulder;U=Robot_%Arm;A=Robot_%ForeArm;W=Robot_%Hand;E=Robot_%InHandMiddle",
        "T=Robot_%UpLeg;S=Robot_%Leg;F=Robot_%Foot",
        "",
    ),
    scheme(
        "Kinect",
        WORDS,
        "H=SpineBase;SpineMid;C=SpineShoulder",
        "N=Neck;D=Head",
        "U=Shoulder%;A=Elbow%;W=Wrist%;E=Hand%",
        "T=Hip%;S=Knee%;F=Ankle%;O=Foot%",
        "",
    ),
    scheme(
        "ARKit",
        ("left", "right"),
        "R=root;H=hips_joint;spine_1_joint;spine_3_joint;spine_5_joint;C=spine_7_joint",
        "N=neck_1_joint;neck_3_joint;D=head_joint",
        "K=%_shoulder_1_joint;U=%_arm_joint;A=%_forearm_joint;W=%_hand_joint",
        "T=%_upLeg_joint;S=%_leg_joint;F=%_foot_joint;O=%_toes_joint;E=%_toesEnd_joint",
        "",
    ),
    scheme(
        "Second Life",
        WORDS,
        "H=mPelvis;mTorso;C=mChest",
        "N=mNeck;D=mHead;E=mSkull",
        "K=mCollar%;U=mShoulder%;A=mElbow%;W=mWrist%",
        "T=mHip%;S=mKnee%;F=mAnkle%;mFoot%;O=mToe%",
        "",
    ),
    scheme(
        "Advanced Skeleton",
        LETTERS,
        "H=Root_M;Spine1_M;C=Chest_M",
        "N=Neck_M;D=Head_M;E=HeadEnd_M",
        "K=Scapula_%;U=Shoulder_%;A=Elbow_%;W=Wrist_%",
        "T=Hip_%;S=Knee_%;F=Ankle_%;O=Toes_%;E=ToesEnd_%",
        "",
    ),
    scheme(
        "German, by shape",
        SMALL,
        "H=Becken;Wirbel1;C=Wirbel2",
        "N=Hals;D=Kopf;E=Scheitel",
        "K=Schluesselbein_%;U=Oberarm_%;A=Unterarm_%;W=Pfote_%;E=Finger_%",
        "T=Oberschenkel_%;S=Unterschenkel_%;F=Fuss_%;O=Zehen_%;E=Zehenspitze_%",
        "",
    ),
    scheme(
        "numbers, by shape",
        ("1", "2"),
        "R=n00;H=n01;n02;C=n03",
        "N=n04;D=n05;E=n06",
        "K=n%10;U=n%11;A=n%12;W=n%13;E=n%14",
        "T=n%20;S=n%21;F=n%22;O=n%23;E=n%24",
        "",
    ),
    scheme(
        "no neck, by shape",
        ("a", "b"),
        "H=base;C=top",
        "D=ball",
        "U=%1;A=%2;W=%3;E=%4",
        "T=%5;S=%6;F=%7;O=%8;E=%9",
        "",
    ),
];

/// A joint: name, parent, position.
type Joint = (String, Option<usize>, [f64; 3]);

/// The place of a letter, in metres; x points to the left of the figure, which faces +z. Arms hang down a
/// little.
fn place(letter: &str, chain: usize, side: f64) -> Option<[f64; 3]> {
    let [x, y, z] = match (chain, letter) {
        (0, "R") => [0.0, 0.0, 0.0],
        (0, "H") => [0.0, 1.0, 0.0],
        (0, "C") => [0.0, 1.4, 0.0],
        (1, "N") => [0.0, 1.5, 0.0],
        (1, "D") => [0.0, 1.6, 0.0],
        (1, "E") => [0.0, 1.8, 0.0],
        (2, "K") => [0.05, 1.42, 0.0],
        (2, "U") => [0.2, 1.42, 0.0],
        (2, "A") => [0.45, 1.3, 0.0],
        (2, "W") => [0.67, 1.2, 0.02],
        (2, "E") => [0.76, 1.16, 0.03],
        (3, "T") => [0.1, 0.95, 0.0],
        (3, "S") => [0.1, 0.52, 0.01],
        (3, "F") => [0.1, 0.08, 0.0],
        (3, "O") => [0.1, 0.02, 0.13],
        (3, "E") => [0.1, 0.02, 0.2],
        _ => return None,
    };
    Some([x * side, y, z])
}

/// The joints of a scheme and the names of the parts that have to be found.
fn joints(scheme: &Scheme) -> (Vec<Joint>, Vec<(BodyPart, String)>) {
    let mut joints: Vec<Joint> = Vec::new();
    let mut parts = Vec::new();
    let mut chest = None;
    let mut hips = None;
    let sides = [(scheme.sides.0, 1.0, Side::Left), (scheme.sides.1, -1.0, Side::Right)];
    for (chain, text) in [scheme.trunk, scheme.head, scheme.arm, scheme.leg].into_iter().enumerate() {
        for &(word, sign, side) in &sides[..if chain < 2 { 1 } else { 2 }] {
            let entries: Vec<(Option<&str>, String)> = text
                .split(';')
                .map(|entry| match entry.split_once('=') {
                    Some((letter, name)) => (Some(letter), name.replace('%', word)),
                    None => (None, entry.replace('%', word)),
                })
                .collect();
            let mut parent: Option<usize> = match chain {
                0 => None,
                1 | 2 => chest,
                _ => hips,
            };
            let start = joints.len();
            let mut placed: Vec<Option<[f64; 3]>> = entries
                .iter()
                .map(|(letter, _)| letter.and_then(|letter| place(letter, chain, sign)))
                .collect();
            // Joints between others lie evenly between them.
            for at in 0..placed.len() {
                if placed[at].is_some() {
                    continue;
                }
                let before = match at {
                    0 => parent.map_or([0.0; 3], |parent| joints[parent].2),
                    _ => placed[at - 1].expect("filled"),
                };
                let next = (at..placed.len()).find(|&at| placed[at].is_some());
                placed[at] = Some(match next {
                    Some(next) => {
                        let share = 1.0 / (next - at + 1) as f64;
                        let to = placed[next].expect("placed");
                        std::array::from_fn(|k| before[k] + (to[k] - before[k]) * share)
                    }
                    None => [before[0], before[1] + 0.1, before[2]],
                });
            }
            for ((letter, name), at) in entries.into_iter().zip(placed) {
                let part = match (chain, letter) {
                    (1, Some("D")) => Some(BodyPart::Head),
                    (2, Some("U")) => Some(BodyPart::UpperArm(side)),
                    (2, Some("A")) => Some(BodyPart::ForeArm(side)),
                    (2, Some("W")) => Some(BodyPart::Hand(side)),
                    (3, Some("T")) => Some(BodyPart::Thigh(side)),
                    (3, Some("S")) => Some(BodyPart::Shin(side)),
                    (3, Some("F")) => Some(BodyPart::Foot(side)),
                    _ => None,
                };
                parts.extend(part.map(|part| (part, name.clone())));
                joints.push((name, parent, at.expect("placed")));
                parent = Some(joints.len() - 1);
                if chain == 0 && letter == Some("H") {
                    hips = parent;
                }
            }
            if chain == 0 {
                chest = parent;
            }
            assert!(joints.len() > start, "{}", scheme.what);
        }
    }
    for pair in scheme.more.split(';').filter(|pair| !pair.is_empty()) {
        let (parent, name) = pair.split_once('<').expect("a pair");
        let parent = joints.iter().position(|joint| joint.0 == parent).expect("a parent");
        let at = joints[parent].2;
        joints.push((name.to_owned(), Some(parent), [at[0] + 0.03, at[1] + 0.02, at[2]]));
    }
    (joints, parts)
}

/// The text of a BVH file with two frames; `turn` is the rotation about z of the joint with this name in the
/// second one.
fn text(joints: &[Joint], turn: Option<(&str, f64)>, frames: usize) -> String {
    fn write(out: &mut String, joints: &[Joint], at: usize, order: &mut Vec<usize>) {
        order.push(at);
        let (name, parent, place) = &joints[at];
        let from = parent.map_or([0.0; 3], |parent| joints[parent].2);
        let word = if parent.is_some() { "JOINT" } else { "ROOT" };
        let channels = match parent {
            Some(_) => "CHANNELS 3 Zrotation Xrotation Yrotation",
            None => "CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation",
        };
        let offset: Vec<String> =
            (0..3).map(|axis| format!("{:.4}", 100.0 * (place[axis] - from[axis]))).collect();
        let _ = writeln!(out, "{word} {name}\n{{\nOFFSET {}\n{channels}", offset.join(" "));
        let children: Vec<usize> = (0..joints.len()).filter(|&child| joints[child].1 == Some(at)).collect();
        for &child in &children {
            write(out, joints, child, order);
        }
        if children.is_empty() {
            out.push_str("End Site\n{\nOFFSET 0 0 0\n}\n");
        }
        out.push_str("}\n");
    }
    let mut out = "HIERARCHY\n".to_owned();
    let mut order = Vec::new();
    write(&mut out, joints, 0, &mut order);
    let _ = writeln!(out, "MOTION\nFrames: {frames}\nFrame Time: 0.0333333");
    for frame in 0..frames {
        let root = joints[0].2.map(|x| format!("{}", 100.0 * x)).join(" ");
        let mut row = root;
        for &at in &order {
            let angle = turn.filter(|(name, _)| *name == joints[at].0).map_or(0.0, |turn| turn.1);
            let _ = write!(row, " {} 0 0", angle * frame as f64 / (frames - 1) as f64);
        }
        out.push_str(&row);
        out.push('\n');
    }
    out
}

#[test]
fn head_arms_hands_and_legs_are_found_in_all_schemes() {
    let mut wrong = Vec::new();
    for scheme in &SCHEMES {
        let (joints, parts) = joints(scheme);
        let recording = bvh::read(&text(&joints, None, 2)).unwrap_or_else(|e| panic!("{}: {e}", scheme.what));
        let projected = project(&recording, ViewDirection::SIDE, None).expect("projected");
        let motion = projected.motion;
        let body = motion.body();
        for (part, name) in parts {
            let found = body.start(part).map(|at| motion.joints()[at].name.as_str());
            if found != Some(name.as_str()) {
                wrong.push(format!("{}: {} is {found:?}, not {name}", scheme.what, part.name()));
            }
        }
        let figure = build_figure(&motion, &FigureOptions::new(300.0)).expect("a figure");
        for name in ["head", "hand_l", "hand_r", "fore_arm_l", "upper_arm_r", "thigh_l", "shin_r", "foot_l"] {
            if !figure.bones.iter().any(|bone| bone.name == name) {
                let feet_end = name.starts_with("foot") && !scheme.leg.contains("O=");
                if !feet_end {
                    wrong.push(format!("{}: the figure has no {name}", scheme.what));
                }
            }
        }
        let guessed = projected.notes.iter().any(|note| note.contains("guessed by the shape"));
        assert_eq!(guessed, !body.guessed().is_empty(), "{}", scheme.what);
        if scheme.what.contains("by shape") {
            assert!(guessed, "{}", scheme.what);
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Heads and hands whose ends have no length still turn.
#[test]
fn ends_without_length_keep_their_turns() {
    for (name, part) in [
        ("Head", BodyPart::Head),
        ("LeftHand", BodyPart::Hand(Side::Left)),
        ("RightHand", BodyPart::Hand(Side::Right)),
    ] {
        let plain = scheme(
            "plain",
            WORDS,
            "H=Hips;C=Spine",
            "N=Neck;D=Head",
            "K=%Shoulder;U=%Arm;A=%ForeArm;W=%Hand",
            "T=%UpLeg;S=%Leg;F=%Foot;O=%ToeBase",
            "",
        );
        let (joints, _) = joints(&plain);
        let recording = bvh::read(&text(&joints, Some((name, 40.0)), 9)).expect("read");
        let motion = project(&recording, ViewDirection::FRONT, None).expect("projected").motion;
        let body = motion.body();
        let (from, to) = (body.start(part).expect("a start"), body.end(part).expect("an end"));
        let directions = crate::projection::directions(&motion, from, to);
        let turned = (directions[8] - directions[0]).degrees().abs();
        assert!((turned - 40.0).abs() < 0.01, "{name} turns by {turned}");
    }
}

/// Some skeletons have all bones along one axis in the file and turn each into its place in every frame. The end
/// of such a head may be at its side: it is put above the head, and turns with it.
#[test]
fn a_head_that_ends_at_its_side_ends_above_it() {
    let text = |end: &str| {
        let mut text = format!(
            "HIERARCHY\nROOT Hips\n{{\nOFFSET 0 0 0\nCHANNELS 3 Xposition Yposition Zposition\n\
             JOINT Neck\n{{\nOFFSET 0 50 0\nCHANNELS 1 Zrotation\n\
             JOINT Head\n{{\nOFFSET 0 10 0\nCHANNELS 1 Xrotation\nEnd Site\n{{\nOFFSET {end}\n}}\n}}\n}}\n"
        );
        for (side, x) in [("Left", 10), ("Right", -10)] {
            let _ = write!(
                text,
                "JOINT {side}UpLeg\n{{\nOFFSET {x} 0 0\nCHANNELS 1 Xrotation\nJOINT {side}Leg\n{{\nOFFSET 0 -40 0\n\
                 CHANNELS 1 Xrotation\nJOINT {side}Foot\n{{\nOFFSET 0 -40 0\nCHANNELS 1 Xrotation\n\
                 End Site\n{{\nOFFSET 0 -5 15\n}}\n}}\n}}\n}}\n"
            );
        }
        text.push_str("}\nMOTION\nFrames: 21\nFrame Time: 0.05\n");
        // The neck leans to a side, the head nods to both sides of it.
        for frame in 0..21 {
            let _ = writeln!(text, "0 90 0 12 {} 0 0 0 0 0 0", nod(frame));
        }
        text
    };
    fn nod(frame: usize) -> f64 {
        2.0 * (frame as f64 - 10.0)
    }
    let ends = |end: &str| {
        let recording = bvh::read(&text(end)).expect("read");
        let motion = project(&recording, ViewDirection::SIDE, None).expect("projected").motion;
        let (head, top) = (motion.find("Head").expect("a head"), motion.find("Head_End").expect("an end"));
        (0..21).map(|frame| motion.offset(frame, head, top)).collect::<Vec<_>>()
    };
    let plain = ends("0 22 0");
    for aside in ["22 0 0", "0 0 22", "0 -22 0", "-18 3 12"] {
        let found = ends(aside);
        let long = if aside == "-18 3 12" { 477.0_f64.sqrt() } else { 22.0 };
        for (frame, (found, plain)) in found.iter().zip(&plain).enumerate() {
            let off = (*found / long - *plain / 22.0).hypot();
            assert!(off < 1e-3, "{aside} in frame {frame}: {found:?} for {plain:?}");
        }
    }
    // An end that leans forward stays.
    let forward = ends("0 18 8");
    assert!((forward[10].x.abs() - 8.0).abs() < 0.5, "{:?}", forward[10]);
}
